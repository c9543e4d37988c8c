import type { Command } from 'commander';
import type { Tx } from '../platform/db/database.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import { inAccount, print, printRows, toId, toSlice } from './run.ts';

export interface Options {
  account?: string;
  json?: boolean;
  page?: string;
  [name: string]: string | boolean | undefined;
}

interface Verbs {
  create(tx: Tx, accountId: number, name: string, options: Options): Promise<object>;
  list(tx: Tx, accountId: number, slice: Slice, options: Options): Promise<Rows<object>>;
  show(tx: Tx, accountId: number, id: number): Promise<object>;
  rename(tx: Tx, accountId: number, id: number, name: string): Promise<object>;
  remove(tx: Tx, accountId: number, id: number): Promise<void>;
}

interface Spec {
  command: string;
  noun: string;
  plural: string;
  /** The past participle for a deletion, if it is not "deleted". */
  removed?: string;
  /** Options of `create`, and of `list`: [flags, description, required]. */
  createOptions?: [string, string, boolean][];
  listOptions?: [string, string][];
}

/** The commands create, list, show, rename and delete for one kind of thing in an account. */
export function crudCommand(program: Command, spec: Spec, verbs: Verbs): Command {
  const parent = program.command(spec.command).description(`${spec.plural} of an account`);
  const sub = (usage: string, description: string) =>
    parent
      .command(usage)
      .description(description)
      .option('-a, --account <id>', 'the account; optional if there is only one')
      .option('--json', 'print JSON');

  const create = sub('create <name>', `create a ${spec.noun}`);
  for (const [flags, text, required] of spec.createOptions ?? []) {
    if (required) create.requiredOption(flags, text);
    else create.option(flags, text);
  }
  create.action(async (name: string, options: Options) => {
    print(await inAccount(options.account, (tx, accountId) => verbs.create(tx, accountId, name, options)), options);
  });

  const list = sub('list', `list ${spec.plural}`).option('--page <n>', 'the page, of 100 rows each');
  for (const [flags, text] of spec.listOptions ?? []) list.option(flags, text);
  list.action(async (options: Options) => {
    const slice = toSlice(options);
    printRows(
      await inAccount(options.account, (tx, accountId) => verbs.list(tx, accountId, slice, options)),
      slice,
      options,
    );
  });

  sub('show <id>', `show a ${spec.noun}`).action(async (id: string, options: Options) => {
    print(await inAccount(options.account, (tx, accountId) => verbs.show(tx, accountId, toId(id, spec.noun))), options);
  });
  sub('rename <id> <name>', `rename a ${spec.noun}`).action(async (id: string, name: string, options: Options) => {
    print(
      await inAccount(options.account, (tx, accountId) => verbs.rename(tx, accountId, toId(id, spec.noun), name)),
      options,
    );
  });
  sub('delete <id>', `delete a ${spec.noun}`).action(async (id: string, options: Options) => {
    await inAccount(options.account, (tx, accountId) => verbs.remove(tx, accountId, toId(id, spec.noun)));
    print(`The ${spec.noun} ${id} is ${spec.removed ?? 'deleted'}.`, options);
  });
  return parent;
}
