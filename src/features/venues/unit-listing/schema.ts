import Type, { type Static } from 'typebox';
import { Unit } from '../units/schema.ts';

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
