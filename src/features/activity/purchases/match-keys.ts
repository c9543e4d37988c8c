import type { Tx } from '../../../platform/db/database.ts';
import { type MatchKey, matchKeys } from '../../../shared/codes.ts';
import { present } from '../../../shared/present.ts';
import type { Account } from '../../access/accounts/schema.ts';
import {
  findByBookings,
  findByCodes,
  findByIdentities,
  findByTables,
  type MatchTarget,
} from '../../identity/matching/store.ts';
import { codeKey } from '../../vouchers/schema.ts';
import type { PurchaseRow } from './store.ts';

export type Match = Pick<PurchaseRow, 'contact_id' | 'matched_by' | 'matched_value' | 'matched_booking_id'>;

/** The contacts that the keys of purchases lead to. */
export class MatchTargets {
  readonly #found: Record<MatchKey, Map<string, MatchTarget | undefined>>;

  private constructor(found: Record<MatchKey, Map<string, MatchTarget | undefined>>) {
    this.#found = found;
  }

  /** Runs one statement per kind of key. */
  static async find(
    tx: Tx,
    { id: accountId, time_zone: timeZone }: Account,
    rows: PurchaseRow[],
  ): Promise<MatchTargets> {
    /** Looks up each value once. */
    const lookUp = async (key: MatchKey, find: (rows: PurchaseRow[]) => Promise<(MatchTarget | undefined)[]>) => {
      const wanted = new Map(rows.filter((row) => row[key] !== null).map((row) => [nameOf[key](row), row]));
      const targets = wanted.size === 0 ? [] : await find([...wanted.values()]);
      return new Map([...wanted.keys()].map((name, index) => [name, targets[index]]));
    };
    const values = (all: PurchaseRow[], key: MatchKey) => all.map((row) => present(row[key], key));
    const members = (kind: 'membership' | 'card', all: string[]) =>
      findByIdentities(
        tx,
        accountId,
        all.map((value) => ({ kind, value })),
      );
    const found = await tx.inOrder({
      booking_reference: () =>
        lookUp('booking_reference', (all) =>
          findByBookings(
            tx,
            accountId,
            all.map(({ booking_reference, provider_id }) => ({
              booking_reference: present(booking_reference, 'booking reference'),
              provider_id,
            })),
          ),
        ),
      unique_code: () =>
        lookUp('unique_code', async (all) => {
          const codes = all.flatMap((row) => codeOf(row) ?? []);
          return (await findByCodes(tx, accountId, codes)).map(({ target }) => target);
        }),
      membership_number: () =>
        lookUp('membership_number', (all) => members('membership', values(all, 'membership_number'))),
      card_reference: () => lookUp('card_reference', (all) => members('card', values(all, 'card_reference'))),
      table_number: () =>
        lookUp('table_number', (all) =>
          findByTables(
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
    return new MatchTargets(found);
  }

  /** The survivor of each contact that was found. */
  survivors(): [number, number][] {
    return Object.values(this.#found).flatMap((targets) =>
      [...targets.values()].flatMap((target): [number, number][] =>
        target ? [[target.contact_id, target.survivor]] : [],
      ),
    );
  }

  /** The match by the first key that leads to a contact. */
  of(row: PurchaseRow): Match | undefined {
    for (const key of matchKeys) {
      const value = row[key];
      const target = value === null ? undefined : this.#found[key].get(nameOf[key](row));
      if (!target) continue;
      return {
        contact_id: target.contact_id,
        matched_by: key,
        matched_value: value,
        matched_booking_id: target.booking_id,
      };
    }
    return undefined;
  }
}

/** The name of a key for maps. Equal keys have the same name, so each key is looked up once. */
const nameOf: Record<MatchKey, (row: PurchaseRow) => string> = {
  booking_reference: (row) => `${row.provider_id ?? ''} ${row.booking_reference}`,
  unique_code: (row) => sentCodeKey(row),
  membership_number: (row) => row.membership_number ?? '',
  card_reference: (row) => row.card_reference ?? '',
  table_number: (row) => `${row.unit_id} ${row.created_at} ${row.table_number}`,
};

/** A code with its group, if the request has one. */
type SentCode = { unique_code?: string | null; unique_code_group_id?: number | null };
export const codeOf = ({ unique_code, unique_code_group_id = null }: SentCode) =>
  unique_code ? { unique_code, unique_code_group_id } : undefined;
export const sentCodeKey = ({ unique_code, unique_code_group_id }: SentCode) =>
  `${unique_code_group_id ?? ''} ${codeKey(unique_code ?? '')}`;
