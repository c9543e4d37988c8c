import Type, { type Static } from 'typebox';
import { Id, Name } from '../shared/fields.ts';

const id = Id('Unit id; required when sending data.');
const name = Name('What the venue is called.', 'The Anchor');
const isRoot = Type.Boolean({ description: 'True for the single root unit of the account.' });

export const rootStays = 'The root unit can’t be deleted: it holds what belongs to no other place.';

export const Unit = Type.Object({ id, name, is_root: isRoot });
export type Unit = Static<typeof Unit>;

const Named = Type.Object({ id: Type.Integer(), name: Type.String() });

export const UnitWithFolders = Type.Object({
  ...Unit.properties,
  deleted: Type.Enum(['N'], { description: 'Deleted units are not listed.' }),
  folders: Type.Array(Type.Object({ ...Named.properties, groups: Type.Array(Named) })),
});
export type UnitWithFolders = Static<typeof UnitWithFolders>;

export const UnitListing = Type.Union([Unit, UnitWithFolders]);

export const ListUnits = Type.Object({
  groups: Type.Optional(
    Type.Boolean({ description: 'With true, each unit has its folders and their groups.', examples: [true] }),
  ),
});

export const NewUnit = Type.Object({ name });
