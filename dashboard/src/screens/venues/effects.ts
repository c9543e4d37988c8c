import type { FolderEffects, GroupEffects, UnitEffects } from '#service/features/insight/venues/schema.ts';
import { withCount } from '../../ui/format.ts';
import type { Kind } from './venues.ts';

type Effects = UnitEffects | FolderEffects | GroupEffects;

const list = new Intl.ListFormat('en');

/** The effects of a deletion, as sentences. */
export function effectsOn(kind: Kind, effects: Effects): string[] {
  if (kind === 'venue') return venueEffects(effects as UnitEffects);
  if (kind === 'folder') return ['It is empty: no group and no guest is affected.'];
  return [guestsStayText(effects.guests, 'are no longer in it', 'is no longer in it') ?? 'No guest is in it.'];
}

function venueEffects(effects: UnitEffects): string[] {
  const { guests, folders, groups, unique_code_groups, unique_codes_redeemed } = effects;
  const on = nonZero([folders, 'folder'], [groups, 'group']);
  const isOne = folders + groups === 1;
  // Only groups contain guests.
  const onGuests = groups === 0 ? '' : `, nor on the guests who are in ${isOne ? 'it' : 'them'}`;
  const known = nonZero(
    [effects.bookings, 'booking'],
    [effects.purchases, 'purchase'],
    [effects.stays, 'stay'],
    [effects.wifi, 'wifi interaction'],
    [effects.feedback, 'piece of feedback', 'pieces of feedback'],
    [unique_codes_redeemed, 'redeemed voucher'],
  );
  const sentences = [
    guestsStayText(guests, 'no longer belong to it', 'no longer belongs to it'),
    on && `${on} of it ${isOne ? 'is' : 'are'} no longer shown${onGuests}.`,
    known && `Its history stays: ${known}.`,
    unique_code_groups > 0 &&
      `${withCount(unique_code_groups, 'voucher group')} of it: the codes can still be redeemed at other venues.`,
    'Requests of partners that name it are then rejected.',
  ];
  return sentences.filter((sentence): sentence is string => Boolean(sentence));
}

function guestsStayText(count: number, many: string, one: string): string | undefined {
  if (count === 0) return undefined;
  return count === 1 ? `1 guest stays but ${one}.` : `${withCount(count, 'guest')} stay but ${many}.`;
}

/** "3 folders and 1 group", without those that are zero. */
function nonZero(...parts: [count: number, one: string, many?: string][]): string {
  return list.format(parts.filter(([count]) => count > 0).map(([count, one, many]) => withCount(count, one, many)));
}
