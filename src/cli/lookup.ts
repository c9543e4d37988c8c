import type { Command } from 'commander';
import {
  changeLookup,
  createLookup,
  listLookups,
  removeLookup,
  showLookup,
} from '../features/venues/lookups/manage.ts';
import { type LookupKind, lookupKinds } from '../features/venues/lookups/schema.ts';
import { crudCommand } from './managed.ts';
import { readInput } from './run.ts';

const commands: [string, LookupKind][] = [
  ['udf', lookupKinds.udfs],
  ['source', lookupKinds.sources],
  ['provider', lookupKinds.providers],
  ['feedback-category', lookupKinds.feedbackCategories],
  ['booking-source', lookupKinds.bookingSources],
];

export function lookupCommands(program: Command): void {
  for (const [command, kind] of commands) {
    crudCommand(
      program,
      {
        command,
        noun: kind.noun,
        plural: kind.plural,
        createOptions: kind.columns.map((column) => [`-t, --${column} <${column}>`, 'text or date', true]),
      },
      {
        create: (tx, accountId, name, options) =>
          createLookup(tx, kind, accountId, readInput(kind.create, { name, type: options.type })),
        list: (tx, accountId, slice) => listLookups(tx, kind, accountId, slice),
        show: (tx, accountId, id) => showLookup(tx, kind, accountId, id),
        rename: (tx, accountId, id, name) =>
          changeLookup(tx, kind, accountId, id, readInput(kind.rename, { name }).name),
        remove: (tx, accountId, id) => removeLookup(tx, kind, accountId, id),
      },
    );
  }
}
