import { crudRoutes } from '../../../platform/http/crud-routes.ts';
import {
  changeFolder,
  changeGroup,
  createFolder,
  createGroup,
  listFolders,
  listGroups,
  removeFolder,
  removeGroup,
  showFolder,
  showGroup,
} from './manage.ts';
import { ByUnit, ByUnitAndFolder, Folder, Group, NewFolder, NewGroup, RenamedFolder, RenamedGroup } from './schema.ts';

const folders = crudRoutes(
  {
    path: '/admin/v1/accounts/:account_id/folders',
    id: 'folder_id',
    kind: 'folder',
    noun: 'folder',
    plural: 'folders',
    tag: 'Manage folders and groups',
    create: NewFolder,
    change: RenamedFolder,
    response: Folder,
    filter: ByUnit,
    example: {
      create: { unit_id: 2, name: 'Loyalty' },
      change: { name: 'Loyalty' },
      response: { id: 3, name: 'Loyalty', unit_id: 2 },
    },
    notes: {
      create: 'A name that another folder of the unit has returns 422.',
      remove: 'Only an empty folder can be deleted. A folder with groups returns 422.',
    },
  },
  {
    create: (tx, { accountId, input }) => createFolder(tx, accountId, input.unit_id, input.name),
    list: (tx, { accountId, input, slice }) => listFolders(tx, accountId, input.unit_id, slice),
    show: (tx, { accountId }, id) => showFolder(tx, accountId, id),
    change: (tx, { accountId, input }, id) => changeFolder(tx, accountId, id, input.name),
    remove: (tx, { accountId }, id) => removeFolder(tx, accountId, id),
  },
);

const groups = crudRoutes(
  {
    path: '/admin/v1/accounts/:account_id/groups',
    id: 'group_id',
    kind: 'group',
    noun: 'group',
    plural: 'groups',
    tag: 'Manage folders and groups',
    create: NewGroup,
    change: RenamedGroup,
    response: Group,
    filter: ByUnitAndFolder,
    example: {
      create: { unit_id: 2, name: 'Newsletter', folder_name: 'Loyalty' },
      change: { name: 'Newsletter' },
      response: { id: 4, name: 'Newsletter', unit_id: 2, folder_id: 3 },
    },
    notes: {
      create: 'A missing folder is created. A name that another group of the folder has returns 422.',
      remove: 'Also removes all contacts from the group. This cannot be undone.',
    },
  },
  {
    create: (tx, { accountId, input }) => createGroup(tx, accountId, input),
    list: (tx, { accountId, input, slice }) => listGroups(tx, accountId, input, slice),
    show: (tx, { accountId }, id) => showGroup(tx, accountId, id),
    change: (tx, { accountId, input }, id) => changeGroup(tx, accountId, id, input.name),
    remove: (tx, { accountId }, id) => removeGroup(tx, accountId, id),
  },
);

export const groupRoutes = [...folders, ...groups];
