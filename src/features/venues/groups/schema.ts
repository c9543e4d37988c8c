import Type, { type Static } from 'typebox';
import { Id, Name } from '../../../shared/fields.ts';

/** The folder that is used if none is given. */
export const defaultFolder = 'default';

export const folderNotEmpty = 'The folder still has groups in it. Delete those first.';

const unitId = Id('The id of the unit.');
const folderId = Id('The id of the folder.');
const folderName = Name('The name of the folder. It is unique on the unit; case does not matter.', 'default');
const groupName = Name('The name of the group. It is unique in the folder; case does not matter.', 'Newsletter');

export const Folder = Type.Object(
  { id: Id('The id of the folder.'), name: folderName, unit_id: unitId },
  { title: 'Folder' },
);
export type Folder = Static<typeof Folder>;

export const NewFolder = Type.Object({ unit_id: unitId, name: folderName }, { title: 'FolderCreate' });
export const RenamedFolder = Type.Object({ name: folderName }, { title: 'FolderUpdate' });

export const Group = Type.Object(
  { id: Id('The id of the group.'), name: groupName, unit_id: unitId, folder_id: folderId },
  { title: 'Group' },
);
export type Group = Static<typeof Group>;

export const NewGroup = Type.Object(
  {
    unit_id: unitId,
    name: groupName,
    folder_name: Type.Optional(
      Name('The folder of the group. It is created if it is missing. The default is `default`.', 'default'),
    ),
  },
  { title: 'GroupCreate' },
);
export type NewGroup = Static<typeof NewGroup>;
export const RenamedGroup = Type.Object({ name: groupName }, { title: 'GroupUpdate' });

export const ByUnit = Type.Object({ unit_id: Type.Optional(unitId) });
export const ByUnitAndFolder = Type.Object({ unit_id: Type.Optional(unitId), folder_id: Type.Optional(folderId) });
