import Type, { type Static } from 'typebox';
import { Id, Name, Nullable } from '../../../shared/fields.ts';
import { Unit } from '../../venues/units/schema.ts';

const amount = (description: string) => Type.Integer({ description, minimum: 0, examples: [12] });
const guests = amount('The number of contacts.');
const called = (example: string) => Type.String({ description: 'The name.', examples: [example] });

export const ListVenues = Type.Object({
  search: Type.Optional(
    Name(
      'Only units with this text in their name, or in the name of one of their folders or groups. Case does not matter.',
      'loyal',
    ),
  ),
});

/** A unit with its folders and groups. */
export const Venue = Type.Object(
  {
    ...Unit.properties,
    guests,
    folders: Type.Array(
      Type.Object(
        {
          id: Id('The id of the folder.'),
          name: called('Loyalty'),
          groups: Type.Array(
            Type.Object(
              { id: Id('The id of the group.'), name: called('Newsletter'), guests },
              { title: 'VenueGroup' },
            ),
            { description: 'The groups in the folder.' },
          ),
        },
        { title: 'VenueFolder' },
      ),
      { description: 'The folders of the unit.' },
    ),
  },
  { title: 'Venue' },
);
export type Venue = Static<typeof Venue>;

const refused = Nullable(
  Type.String({
    description: 'The reason why a deletion is not possible. Null if it is possible.',
    examples: ['The folder still has groups in it.'],
  }),
);

export const UnitEffects = Type.Object(
  {
    refused,
    guests: amount('The contacts of the unit. They would no longer show the unit.'),
    folders: amount('The folders of the unit.'),
    groups: amount('The groups of the unit. Contacts would no longer show them.'),
    bookings: amount('The bookings at the unit. They and all activity below are kept.'),
    purchases: amount('The purchases at the unit.'),
    stays: amount('The stays at the unit.'),
    wifi: amount('The wifi interactions at the unit.'),
    feedback: amount('The feedback about the unit.'),
    unique_code_groups: amount('The unique code groups of the unit. Their codes can still be redeemed at other units.'),
    unique_codes_redeemed: amount('The unique codes that were redeemed at the unit.'),
  },
  { title: 'UnitDeletionEffects' },
);
export type UnitEffects = Static<typeof UnitEffects>;

export const FolderEffects = Type.Object(
  {
    refused,
    groups: amount('The groups in the folder. Only an empty folder can be deleted.'),
    guests: amount('The contacts in these groups.'),
  },
  { title: 'FolderDeletionEffects' },
);
export type FolderEffects = Static<typeof FolderEffects>;

export const GroupEffects = Type.Object(
  {
    refused,
    guests: amount('The contacts that would be removed from the group. This cannot be undone.'),
  },
  { title: 'GroupDeletionEffects' },
);
export type GroupEffects = Static<typeof GroupEffects>;
