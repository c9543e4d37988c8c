import {
  IconBuildingStore,
  IconCode,
  IconHome,
  IconSettings,
  IconTicket,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';

export interface Section {
  name: string;
  to:
    | '/accounts/$accountId'
    | '/accounts/$accountId/guests'
    | '/accounts/$accountId/venues'
    | '/accounts/$accountId/vouchers'
    | '/accounts/$accountId/developers'
    | '/accounts/$accountId/settings';
  icon: TablerIcon;
  /** Pressed after g. */
  letter: string;
}

/** The parts of an account's dashboard, in the order of the menu. */
export const sections: readonly Section[] = [
  { name: 'Home', to: '/accounts/$accountId', icon: IconHome, letter: 'h' },
  { name: 'Guests', to: '/accounts/$accountId/guests', icon: IconUsers, letter: 'g' },
  { name: 'Venues', to: '/accounts/$accountId/venues', icon: IconBuildingStore, letter: 'v' },
  { name: 'Vouchers', to: '/accounts/$accountId/vouchers', icon: IconTicket, letter: 'o' },
  { name: 'Developers', to: '/accounts/$accountId/developers', icon: IconCode, letter: 'd' },
  { name: 'Settings', to: '/accounts/$accountId/settings', icon: IconSettings, letter: 's' },
];

/** Which of them an address is in: all but Home have a name after the account. */
export function sectionOf(pathname: string): Section | undefined {
  const [, accounts, , part = ''] = pathname.split('/');
  if (accounts !== 'accounts') return undefined;
  // The possible duplicates are a matter of the guests.
  const named = part === 'duplicates' ? 'guests' : part;
  return sections.find(({ to }) => (to.split('/')[3] ?? '') === named);
}
