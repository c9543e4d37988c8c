import Type, { type Static } from 'typebox';
import { NamedItem } from '../../../shared/fields.ts';
import { Unit } from '../units/schema.ts';

export const UnitWithFolders = Type.Object(
  {
    ...Unit.properties,
    deleted: Type.Enum(['N'], { description: 'Always `N`: deleted units are not listed.' }),
    folders: Type.Array(
      Type.Object(
        { ...NamedItem.properties, groups: Type.Array(NamedItem, { description: 'The groups in the folder.' }) },
        { title: 'FolderWithGroups' },
      ),
      { description: 'The folders of the unit.' },
    ),
  },
  { title: 'UnitWithFolders' },
);
export type UnitWithFolders = Static<typeof UnitWithFolders>;

export const UnitListing = Type.Union([UnitWithFolders, Unit], {
  title: 'ListedUnit',
  description: 'A unit. With `groups=true` it has `deleted` and `folders`.',
});

export const ListUnits = Type.Object({
  groups: Type.Optional(
    Type.Boolean({
      description: 'True adds `deleted` and `folders` with their groups to each unit.',
      examples: [true],
    }),
  ),
});
