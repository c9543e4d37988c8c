import Type, { type Static } from 'typebox';
import { Id, Name, Nullable } from '../../../shared/fields.ts';
import { Unit } from '../../venues/units/schema.ts';

const amount = (description: string) => Type.Integer({ description, minimum: 0, examples: [12] });
const guests = amount('How many guests belong to it.');
const called = (example: string) => Type.String({ examples: [example] });

export const ListVenues = Type.Object({
  search: Type.Optional(
    Name(
      'Only the units with this in their name, or in that of a folder or group on them; whatever the case.',
      'loyal',
    ),
  ),
});

/** A unit with its folders, groups and counts. */
export const Venue = Type.Object({
  ...Unit.properties,
  guests,
  folders: Type.Array(
    Type.Object({
      id: Id('Folder id'),
      name: called('Loyalty'),
      groups: Type.Array(Type.Object({ id: Id('Group id'), name: called('Newsletter'), guests })),
    }),
  ),
});
export type Venue = Static<typeof Venue>;

const refused = Nullable(
  Type.String({
    description: 'Why it can’t be deleted; null: it can.',
    examples: ['The folder still has groups in it.'],
  }),
);

export const UnitEffects = Type.Object({
  refused,
  guests: amount('Guests who would no longer be shown as belonging to it.'),
  folders: amount('Folders on it.'),
  groups: amount('Groups on it, which would no longer be shown on its guests.'),
  bookings: amount('Bookings there. They stay known, as all below.'),
  purchases: amount('Purchases there.'),
  stays: amount('Stays there.'),
  wifi: amount('Wifi interactions there.'),
  feedback: amount('Feedback about it.'),
  unique_code_groups: amount('Voucher groups on it. Their codes can still be redeemed elsewhere.'),
  unique_codes_redeemed: amount('Voucher codes redeemed there.'),
});
export type UnitEffects = Static<typeof UnitEffects>;

export const FolderEffects = Type.Object({
  refused,
  groups: amount('Groups in it: only an empty folder can be deleted.'),
  guests: amount('Guests in any of these groups.'),
});
export type FolderEffects = Static<typeof FolderEffects>;

export const GroupEffects = Type.Object({
  refused,
  guests: amount('Guests who would no longer be in it, which can’t be undone.'),
});
export type GroupEffects = Static<typeof GroupEffects>;
