import type { Command } from 'commander';
import { findContactBy, showStaffContact } from '../features/guests/contacts/read.ts';
import { FindContact } from '../features/guests/contacts/schema.ts';
import { eraseContact } from '../features/guests/erasure/erase.ts';
import { keepPairApart, listDuplicates, listMerges, mergeContacts, undoMerge } from '../features/guests/write/merge.ts';
import type { Tx } from '../platform/db/database.ts';
import { type MergeReason, mergeReasonWords } from '../shared/codes.ts';
import type { Slice } from '../shared/fields.ts';
import { itemCommand, listCommand } from './account-commands.ts';
import { actor } from './audit-trail.ts';
import { readInput, toId } from './run.ts';

/** Commands to find, merge and erase contacts. */
export function contactCommands(program: Command): void {
  const contact = program.command('contact').description('show, find, merge and erase guests');
  itemCommand(
    contact,
    'show <id>',
    'show a guest; the id of a merged guest leads to the survivor',
    (tx, accountId, id) => showStaffContact(tx, accountId, toId(id, 'contact'), ''),
  );
  itemCommand(
    contact,
    'find <email-or-mobile>',
    'find a guest by e-mail or mobile number',
    async (tx, accountId, known) => {
      const input = readInput(FindContact, known.includes('@') ? { email: known } : { mobile_number: known });
      const { id } = await findContactBy(tx, accountId, input, '');
      return showStaffContact(tx, accountId, id, '');
    },
  );
  itemCommand(
    contact,
    'merge <id> <other>',
    'merge two guests: the first stays, and the other’s id leads to it',
    (tx, accountId, id, other) => mergeContacts(tx, accountId, toId(id, 'contact'), toId(other, 'contact'), actor()),
    withReason,
  );
  itemCommand(contact, 'erase <id>', 'erase a guest and their activity permanently', async (tx, accountId, id) => {
    const [erased, ...others] = await eraseContact(tx, accountId, toId(id, 'contact'));
    const merged = others.length > 0 ? `, with ${others.join(', ')} that had been merged into it` : '';
    return `The contact ${erased} is erased${merged}.`;
  });

  const merge = program.command('merge').description('list and undo merges of guests, automatic or manual');
  listCommand(merge, 'list', 'list merges, newest first', listMerges, withReason);
  itemCommand(
    merge,
    'undo <id>',
    'undo a merge',
    (tx, accountId, id) => undoMerge(tx, accountId, toId(id, 'merge'), actor()),
    withReason,
  );

  const duplicate = program.command('duplicate').description('possible duplicates');
  const pairs = async (tx: Tx, accountId: number, slice: Slice) => {
    const { rows, total } = await listDuplicates(tx, accountId, slice);
    return {
      total,
      rows: rows.map(({ id, reason, contacts: [a, b] }) => ({
        id,
        reason,
        contact: a && `${a.id} ${a.first_name} ${a.last_name} ${a.email}`,
        other: b && `${b.id} ${b.first_name} ${b.last_name} ${b.email}`,
      })),
    };
  };
  listCommand(duplicate, 'list', 'list pairs of guests that share a phone number, newest first', pairs, withReason);
  itemCommand(duplicate, 'keep-apart <id>', 'mark the two guests as different people', async (tx, accountId, id) => {
    await keepPairApart(tx, accountId, toId(id, 'pair'), actor());
    return 'The two guests are marked as different people and are no longer listed.';
  });
}

/** People read words. JSON has the code. */
const withReason = <T extends { reason: MergeReason }>(row: T) => ({ ...row, reason: mergeReasonWords[row.reason] });
