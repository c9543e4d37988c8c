import type { Tx } from '../../../platform/db/database.ts';
import { readDate } from '../../../shared/formats.ts';
import { checkItems, isComplete, type ReadItem } from '../../../shared/read.ts';
import {
  type AnyItem,
  addId,
  type Checks,
  type Section,
  type SectionBatch,
  type SectionContact,
  type StoreAccount,
  type Stored,
} from '../../identity/sections/section.ts';
import type { NewUdfValue } from './schema.ts';
import { findUdfs, putUdfValues } from './store.ts';

/** Values are part of the contact: its response contains them, and a merge copies them. */
export interface WithUdfs extends SectionContact {
  udfs: Map<number, string>;
  /** The values to store. */
  newUdfs: Map<number, string>;
}

export function setUdf({ udfs, newUdfs }: WithUdfs, id: number, data: string): void {
  if (udfs.get(id) === data) return;
  udfs.set(id, data);
  newUdfs.set(id, data);
}

class UdfsBatch implements SectionBatch<NewUdfValue, WithUdfs> {
  readonly #ids = new Set<number>();
  #types = new Map<number, 'text' | 'date'>();

  references({ id }: AnyItem<NewUdfValue>): void {
    addId(this.#ids, id);
  }

  async lookUp(tx: Tx, accountId: number): Promise<void> {
    if (this.#ids.size === 0) return;
    this.#types = new Map((await findUdfs(tx, accountId, [...this.#ids])).map(({ id, type }) => [id, type]));
  }

  check(udfs: ReadItem<NewUdfValue>[], { refuse }: Checks): NewUdfValue[] {
    return checkItems(udfs, (udf, index) => {
      const { id, data } = udf;
      const type = id === undefined ? undefined : this.#types.get(id);
      if (type === undefined) {
        return refuse(`udfs.${index}.id`, 'The id is not a user-defined field of this account.');
      }
      // A blank value changes nothing.
      if (data === undefined) return undefined;
      const value = type === 'date' ? readDate(data) : data;
      if (value === undefined) return refuse(`udfs.${index}.data`, 'The data must be a date: yyyy-mm-dd.');
      return isComplete(udf) ? { id: udf.id, data: value } : undefined;
    });
  }

  apply(contact: WithUdfs, udfs: NewUdfValue[]): void {
    for (const { id, data } of udfs) if (data !== undefined) setUdf(contact, id, data);
  }

  store(tx: Tx, { id: accountId }: StoreAccount, { contacts }: Stored<WithUdfs>): Promise<unknown>[] {
    const values = contacts.flatMap(({ row, newUdfs }) =>
      [...newUdfs].map(([udf_id, data]) => ({ contact_id: row.id, udf_id, data })),
    );
    return values.length > 0 ? [putUdfValues(tx, accountId, values)] : [];
  }
}

export const udfsSection: Section<NewUdfValue, WithUdfs> = { begin: () => new UdfsBatch() };
