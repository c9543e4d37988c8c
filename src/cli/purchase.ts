import type { Command } from 'commander';
import { explainPurchase } from '../features/activity/purchases/explain.ts';
import { listWaiting, showPurchase } from '../features/activity/purchases/read.ts';
import type { Explanation } from '../features/activity/purchases/schema.ts';
import { itemCommand, listCommand } from './account-commands.ts';
import { toId } from './run.ts';

/** Commands to show purchases and how they were matched. */
export function purchaseCommands(program: Command): void {
  const purchase = program.command('purchase').description('show purchases and how they were matched');
  listCommand(purchase, 'waiting', 'list waiting purchases, newest first', async (tx, accountId, slice) => {
    const { rows, total } = await listWaiting(tx, accountId, {}, slice);
    return {
      total,
      rows: rows.map(({ id, transaction_reference, unit_name, transaction_date, ...keys }) => ({
        ...{ id, transaction_reference, unit: unit_name, at: transaction_date },
        booking: keys.booking_reference,
        code: keys.unique_code,
        membership: keys.membership_number,
        card: keys.card_reference,
        table: keys.table_number,
      })),
    };
  });
  itemCommand(purchase, 'show <id>', 'show a purchase with its lines', (tx, accountId, id) =>
    showPurchase(tx, accountId, toId(id, 'purchase')),
  );
  itemCommand(
    purchase,
    'explain <id>',
    'explain why a purchase was matched, or why not',
    (tx, accountId, id) => explainPurchase(tx, accountId, toId(id, 'purchase')),
    describe,
  );
}

function describe({ summary, keys, candidates }: Explanation): string {
  const lines = [summary];
  for (const { key, value, outcome, reason } of keys) {
    lines.push(`  by ${key.replaceAll('_', ' ')} ${value}: ${outcome}. ${reason}`);
  }
  if (candidates.length > 0) lines.push('Bookings around that time:');
  for (const { booking_reference, party_datetime, table_numbers, contact_id, chosen, turned_down } of candidates) {
    const where = table_numbers.length > 0 ? `table ${table_numbers.join(', ')}` : 'no table';
    const verdict = chosen ? 'chosen.' : turned_down.join(' ');
    lines.push(`  ${booking_reference} at ${party_datetime}, ${where}, contact ${contact_id}: ${verdict}`);
  }
  return lines.join('\n');
}
