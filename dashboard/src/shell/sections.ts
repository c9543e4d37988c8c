import {
  IconBuildingStore,
  IconChartCircles,
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
    | '/accounts/$accountId/segments'
    | '/accounts/$accountId/venues'
    | '/accounts/$accountId/vouchers'
    | '/accounts/$accountId/developers'
    | '/accounts/$accountId/settings';
  icon: TablerIcon;
  /** The key after g that opens the section. */
  letter: string;
}

/** The sections of the dashboard, in the order of the menu. */
export const sections: readonly Section[] = [
  { name: 'Home', to: '/accounts/$accountId', icon: IconHome, letter: 'h' },
  { name: 'Guests', to: '/accounts/$accountId/guests', icon: IconUsers, letter: 'g' },
  { name: 'Segments', to: '/accounts/$accountId/segments', icon: IconChartCircles, letter: 'e' },
  { name: 'Venues', to: '/accounts/$accountId/venues', icon: IconBuildingStore, letter: 'v' },
  { name: 'Vouchers', to: '/accounts/$accountId/vouchers', icon: IconTicket, letter: 'o' },
  { name: 'Developers', to: '/accounts/$accountId/developers', icon: IconCode, letter: 'd' },
  { name: 'Settings', to: '/accounts/$accountId/settings', icon: IconSettings, letter: 's' },
];

/** Pages that belong to another section: possible duplicates to the guests, and activity to Home. */
const parents: Record<string, string> = { duplicates: 'guests', activity: '' };

/** The section of a path. Home has no name after the account id. */
export function sectionOf(pathname: string): Section | undefined {
  const [, accounts, , part = ''] = pathname.split('/');
  if (accounts !== 'accounts') return undefined;
  const named = parents[part] ?? part;
  return sections.find(({ to }) => (to.split('/')[3] ?? '') === named);
}
