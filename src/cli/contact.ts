import type { Command } from 'commander';
import { lookForContact, showStaffContact } from '../features/guests/contacts/read.ts';
import { FindContact } from '../features/guests/contacts/schema.ts';
import { eraseContact } from '../features/guests/erasure/erase.ts';
import { keepPairApart, listDuplicates, listMerges, mergeContacts, undoMerge } from '../features/guests/write/merge.ts';
import type { Tx } from '../platform/db/database.ts';
import { type MergeReason, mergeReasonWords } from '../shared/codes.ts';
import type { Slice } from '../shared/fields.ts';
import { many, one } from './of-account.ts';
import { readInput, toId } from './run.ts';
import { actor } from './trail.ts';

/** What staff do with guests that are one, or that ask to be forgotten. */
export function contactCommands(program: Command): void {
  const contact = program.command('contact').description('look at guests, merge and erase them');
  one(contact, 'show <id>', 'a guest; the id of one that was merged leads to the other', (tx, accountId, id) =>
    showStaffContact(tx, accountId, toId(id, 'contact'), ''),
  );
  one(contact, 'find <email-or-mobile>', 'the guest who is known by it', async (tx, accountId, known) => {
    const input = readInput(FindContact, known.includes('@') ? { email: known } : { mobile_number: known });
    const { id } = await lookForContact(tx, accountId, input, '');
    return showStaffContact(tx, accountId, id, '');
  });
  one(
    contact,
    'merge <id> <other>',
    'make one guest of two: the first stays, the other’s id leads to it',
    (tx, accountId, id, other) => mergeContacts(tx, accountId, toId(id, 'contact'), toId(other, 'contact'), actor()),
    withReason,
  );
  one(contact, 'erase <id>', 'forget a guest for good, with everything they did', async (tx, accountId, id) => {
    const [erased, ...others] = await eraseContact(tx, accountId, toId(id, 'contact'));
    const merged = others.length > 0 ? `, with ${others.join(', ')} that had been merged into it` : '';
    return `The contact ${erased} is erased${merged}.`;
  });

  const merge = program.command('merge').description('the merges of guests, by staff and by themselves');
  many(merge, 'list', 'the merges, newest first', listMerges, withReason);
  one(
    merge,
    'undo <id>',
    'make two guests of one again',
    (tx, accountId, id) => undoMerge(tx, accountId, toId(id, 'merge'), actor()),
    withReason,
  );

  const duplicate = program.command('duplicate').description('guests that may be one');
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
  many(duplicate, 'list', 'pairs that share a phone, newest first', pairs, withReason);
  one(duplicate, 'keep-apart <id>', 'say that the two are two people', async (tx, accountId, id) => {
    await keepPairApart(tx, accountId, toId(id, 'pair'), actor());
    return 'They are two people, and no longer listed.';
  });
}

/** People read words. JSON has the code. */
const withReason = <T extends { reason: MergeReason }>(row: T) => ({ ...row, reason: mergeReasonWords[row.reason] });
