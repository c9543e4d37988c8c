import type { Command } from 'commander';
import { changeUnit, createUnit, listUnits, removeUnit, showUnit } from '../features/venues/units/manage.ts';
import { NewUnit } from '../features/venues/units/schema.ts';
import { crudCommand } from './managed.ts';
import { readInput } from './run.ts';

export function unitCommand(program: Command): void {
  crudCommand(
    program,
    { command: 'unit', noun: 'unit', plural: 'units' },
    {
      create: (tx, accountId, name) => createUnit(tx, accountId, readInput(NewUnit, { name }).name),
      list: listUnits,
      show: showUnit,
      rename: (tx, accountId, id, name) => changeUnit(tx, accountId, id, readInput(NewUnit, { name }).name),
      remove: removeUnit,
    },
  );
}
