import Type, { type Static } from 'typebox';
import { Id, Name } from '../../../shared/fields.ts';

const id = Id('The id of the unit.');
const name = Name('The name of the unit.', 'The Anchor');
const isRoot = Type.Boolean({ description: 'True for the single root unit of the account.' });

export const rootUnitError = 'The root unit can’t be deleted: it holds what belongs to no other place.';

export const Unit = Type.Object({ id, name, is_root: isRoot }, { title: 'Unit' });
export type Unit = Static<typeof Unit>;

export const NewUnit = Type.Object({ name }, { title: 'UnitWrite' });
