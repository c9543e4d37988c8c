import { csvLines } from '../../../platform/db/csv-rows.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { CsvPart } from '../../../shared/csv.ts';
import type { After, Rows, Slice } from '../../../shared/fields.ts';
import { present } from '../../../shared/present.ts';
import type { Contact, FoundContact } from '../../guests/contacts/schema.ts';
import { selectFound } from '../../guests/contacts/search-store.ts';
import { selectContactRows, selectDetails } from '../../guests/contacts/store.ts';
import { contactObject } from '../../guests/contacts/view.ts';
import { checkDefinition } from './check.ts';
import { type Clock, evaluate, evaluateSlice, todayOf } from './evaluate.ts';
import { getWithNested } from './manage.ts';
import { selectExported, selectMemberIdsAfter } from './members-store.ts';
import { maxSample, type Preview } from './schema.ts';
import { storedAfter, storedSlice } from './stored.ts';

/** What a definition gives. Nothing is stored. */
export async function previewSegment(tx: Tx, accountId: number, sent: unknown, clock: Clock): Promise<Preview> {
  const checked = await checkDefinition(tx, accountId, sent);
  const { counts, ids } = await evaluateSlice(tx, accountId, checked, { limit: maxSample, offset: 0 }, clock);
  return { ...counts, sample: await selectFound(tx, accountId, ids) };
}

async function memberIds(
  tx: Tx,
  accountId: number,
  segmentId: number,
  slice: Slice,
  clock: Clock,
): Promise<{ ids: number[]; total: number }> {
  const segment = await getWithNested(tx, accountId, segmentId);
  const stored = await storedSlice(tx, accountId, segment, slice, await todayOf(tx, accountId, clock.now));
  if (stored) return stored;
  const { counts, ids } = await evaluateSlice(tx, accountId, segment, slice, clock);
  return { ids, total: counts.count };
}

export async function listMembers(
  tx: Tx,
  accountId: number,
  segmentId: number,
  slice: Slice,
  clock: Clock,
): Promise<Rows<FoundContact>> {
  const { ids, total } = await memberIds(tx, accountId, segmentId, slice, clock);
  return { rows: await selectFound(tx, accountId, ids), total };
}

/** The members as partners see contacts. */
export async function listPartnerMembers(
  tx: Tx,
  accountId: number,
  segmentId: number,
  slice: Slice,
  clock: Clock,
  root: string,
): Promise<Rows<Contact>> {
  const { ids, total } = await memberIds(tx, accountId, segmentId, slice, clock);
  const { rows, details } = await tx.inOrder({
    rows: () => selectContactRows(tx, accountId, ids),
    details: () => selectDetails(tx, accountId, ids),
  });
  const detailsById = new Map(details.map((entry) => [entry.id, entry]));
  const contacts = rows.map((row) => contactObject(row, present(detailsById.get(row.id), 'contact'), root));
  return { rows: contacts.sort((a, b) => b.id - a.id), total };
}

/** The number of ids that one evaluation of an export returns. */
const idsAtOnce = 20_000;

/**
 * An export reads some rows at a time, each in a transaction of its own. The definition is evaluated for many rows at
 * once, because an evaluation can cost the same for few and for many.
 */
export class MemberExport {
  readonly #segmentId: number;
  readonly #clock: Clock;
  #ids: number[] = [];
  #isLast = false;

  constructor(segmentId: number, clock: Clock) {
    this.#segmentId = segmentId;
    this.#clock = clock;
  }

  /** Undefined: the export ends. */
  async next(tx: Tx, accountId: number, { after, limit }: After): Promise<CsvPart | undefined> {
    const ids = await this.#idsAfter(tx, accountId, after, limit);
    const lastId = ids.at(-1);
    if (lastId === undefined) return undefined;
    const { text, count } = await selectExported(tx, accountId, ids);
    return { text: () => csvLines(text), count, lastId };
  }

  async #idsAfter(tx: Tx, accountId: number, after: number, limit: number): Promise<number[]> {
    this.#ids = this.#ids.filter((id) => id > after);
    if (this.#ids.length === 0 && !this.#isLast) {
      const segment = await getWithNested(tx, accountId, this.#segmentId);
      const next = { after, limit: idsAtOnce };
      const stored = await storedAfter(tx, accountId, segment, next, await todayOf(tx, accountId, this.#clock.now));
      this.#ids =
        stored ??
        (await evaluate(tx, accountId, segment, this.#clock, (compiled) =>
          selectMemberIdsAfter(tx, accountId, compiled, next),
        ));
      this.#isLast = this.#ids.length < idsAtOnce;
    }
    return this.#ids.slice(0, limit);
  }
}
