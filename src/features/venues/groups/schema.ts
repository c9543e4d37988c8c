import Type, { type Static } from 'typebox';
import { Id, Name } from '../../../shared/fields.ts';

/** The folder that is used if none is given. */
export const defaultFolder = 'default';

export const folderNotEmpty = 'The folder still has groups in it. Delete those first.';

const unitId = Id('The unit it is on.');
const folderId = Id('The folder it is in.');
const folderName = Name('What the folder is called; unique on the unit, whatever the case.', 'default');
const groupName = Name('What the group is called; unique in the folder, whatever the case.', 'Newsletter');

export const Folder = Type.Object({ id: Id('Folder id'), name: folderName, unit_id: unitId });
export type Folder = Static<typeof Folder>;

export const NewFolder = Type.Object({ unit_id: unitId, name: folderName });
export const RenamedFolder = Type.Object({ name: folderName });

export const Group = Type.Object({ id: Id('Group id'), name: groupName, unit_id: unitId, folder_id: folderId });
export type Group = Static<typeof Group>;

export const NewGroup = Type.Object({
  unit_id: unitId,
  name: groupName,
  folder_name: Type.Optional(Name('Made on the unit if it is missing; `default` when left out.', 'default')),
});
export type NewGroup = Static<typeof NewGroup>;
export const RenamedGroup = Type.Object({ name: groupName });

export const ByUnit = Type.Object({ unit_id: Type.Optional(unitId) });
export const ByUnitAndFolder = Type.Object({ unit_id: Type.Optional(unitId), folder_id: Type.Optional(folderId) });
