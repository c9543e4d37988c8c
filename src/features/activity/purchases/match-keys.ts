import type { Tx } from '../../../platform/db/database.ts';
import { type MatchKey, matchKeys } from '../../../shared/codes.ts';
import { present } from '../../../shared/present.ts';
import type { Account } from '../../access/accounts/schema.ts';
import { bookingsLedTo, codesLedTo, type Lead, membersLedTo, tablesLedTo } from '../../identity/matching/store.ts';
import { codeKey } from '../../vouchers/schema.ts';
import type { PurchaseRow } from './store.ts';

export type Match = Pick<PurchaseRow, 'contact_id' | 'matched_by' | 'matched_value' | 'matched_booking_id'>;

/** The contacts that the keys of purchases lead to. */
export class Leads {
  readonly #found: Record<MatchKey, Map<string, Lead | undefined>>;

  private constructor(found: Record<MatchKey, Map<string, Lead | undefined>>) {
    this.#found = found;
  }

  /** One statement for each kind of key. */
  static async find(tx: Tx, { id: accountId, time_zone: timeZone }: Account, rows: PurchaseRow[]): Promise<Leads> {
    /** Looks up each value once. */
    const look = async (key: MatchKey, find: (rows: PurchaseRow[]) => Promise<(Lead | undefined)[]>) => {
      const wanted = new Map(rows.filter((row) => row[key] !== null).map((row) => [nameOf[key](row), row]));
      const leads = wanted.size === 0 ? [] : await find([...wanted.values()]);
      return new Map([...wanted.keys()].map((name, index) => [name, leads[index]]));
    };
    const values = (all: PurchaseRow[], key: MatchKey) => all.map((row) => present(row[key], key));
    const members = (kind: 'membership' | 'card', all: string[]) =>
      membersLedTo(
        tx,
        accountId,
        all.map((value) => ({ kind, value })),
      );
    const found = await tx.inOrder({
      booking_reference: () =>
        look('booking_reference', (all) =>
          bookingsLedTo(
            tx,
            accountId,
            all.map(({ booking_reference, provider_id }) => ({
              booking_reference: present(booking_reference, 'booking reference'),
              provider_id,
            })),
          ),
        ),
      unique_code: () =>
        look('unique_code', async (all) => {
          const codes = all.flatMap((row) => codeOf(row) ?? []);
          return (await codesLedTo(tx, accountId, codes)).map(({ lead }) => lead);
        }),
      membership_number: () =>
        look('membership_number', (all) => members('membership', values(all, 'membership_number'))),
      card_reference: () => look('card_reference', (all) => members('card', values(all, 'card_reference'))),
      table_number: () =>
        look('table_number', (all) =>
          tablesLedTo(
            tx,
            accountId,
            timeZone,
            all.map(({ unit_id, created_at, table_number }) => ({
              unit_id,
              at: created_at,
              table_number: present(table_number, 'table number'),
            })),
          ),
        ),
    });
    return new Leads(found);
  }

  /** The match by the first key that leads to a contact. */
  of(row: PurchaseRow): Match | undefined {
    for (const key of matchKeys) {
      const value = row[key];
      const lead = value === null ? undefined : this.#found[key].get(nameOf[key](row));
      if (!lead) continue;
      return {
        contact_id: lead.contact_id,
        matched_by: key,
        matched_value: value,
        matched_booking_id: lead.booking_id,
      };
    }
    return undefined;
  }
}

/** Equal keys have the same name, so that they are looked up once. */
const nameOf: Record<MatchKey, (row: PurchaseRow) => string> = {
  booking_reference: (row) => `${row.provider_id ?? ''} ${row.booking_reference}`,
  unique_code: (row) => saidKey(row),
  membership_number: (row) => row.membership_number ?? '',
  card_reference: (row) => row.card_reference ?? '',
  table_number: (row) => `${row.unit_id} ${row.created_at} ${row.table_number}`,
};

/** A code with its group, if the request has one. */
type Said = { unique_code?: string | null; unique_code_group_id?: number | null };
export const codeOf = ({ unique_code, unique_code_group_id = null }: Said) =>
  unique_code ? { unique_code, unique_code_group_id } : undefined;
export const saidKey = ({ unique_code, unique_code_group_id }: Said) =>
  `${unique_code_group_id ?? ''} ${codeKey(unique_code ?? '')}`;
