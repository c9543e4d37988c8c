import type { Command } from 'commander';
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
} from '../features/venues/groups/manage.ts';
import {
  ByUnit,
  ByUnitAndFolder,
  NewFolder,
  NewGroup,
  RenamedFolder,
  RenamedGroup,
} from '../features/venues/groups/schema.ts';
import { crudCommand } from './managed.ts';
import { readInput } from './run.ts';

export function groupCommands(program: Command): void {
  crudCommand(
    program,
    {
      command: 'folder',
      noun: 'folder',
      plural: 'folders',
      createOptions: [['-u, --unit <id>', 'the unit that it belongs to', true]],
      listOptions: [['-u, --unit <id>', 'only those of this unit']],
    },
    {
      create: (tx, accountId, name, options) => {
        const input = readInput(NewFolder, { name, unit_id: options.unit });
        return createFolder(tx, accountId, input.unit_id, input.name);
      },
      list: (tx, accountId, slice, options) =>
        listFolders(tx, accountId, readInput(ByUnit, { unit_id: options.unit }).unit_id, slice),
      show: showFolder,
      rename: (tx, accountId, id, name) => changeFolder(tx, accountId, id, readInput(RenamedFolder, { name }).name),
      remove: removeFolder,
    },
  );
  crudCommand(
    program,
    {
      command: 'group',
      noun: 'group',
      plural: 'groups',
      createOptions: [
        ['-u, --unit <id>', 'the unit that it belongs to', true],
        ['-f, --folder <name>', 'the folder; created if it is missing (default: "default")', false],
      ],
      listOptions: [
        ['-u, --unit <id>', 'only those of this unit'],
        ['-f, --folder <id>', 'only those in this folder'],
      ],
    },
    {
      create: (tx, accountId, name, options) =>
        createGroup(tx, accountId, readInput(NewGroup, { name, unit_id: options.unit, folder_name: options.folder })),
      list: (tx, accountId, slice, options) =>
        listGroups(
          tx,
          accountId,
          readInput(ByUnitAndFolder, { unit_id: options.unit, folder_id: options.folder }),
          slice,
        ),
      show: showGroup,
      rename: (tx, accountId, id, name) => changeGroup(tx, accountId, id, readInput(RenamedGroup, { name }).name),
      remove: removeGroup,
    },
  );
}
