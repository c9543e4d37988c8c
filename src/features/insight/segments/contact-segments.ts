import type { Tx } from '../../../platform/db/database.ts';
import { raw } from '../../../platform/db/sql.ts';
import { findContact, noSuchContact } from '../../guests/contacts/store.ts';
import { Compiler } from './compile.ts';
import { selectHolding } from './contact-store.ts';
import { conditionsOf } from './definition-schema.ts';
import { type Clock, evaluationLimitMs, isTimeout, settingOf, todayOf } from './evaluate.ts';
import { loadNested } from './expand.ts';
import { inSavepoint, prepareEvaluation } from './members-store.ts';
import { type ContactSegments, maxSegments } from './schema.ts';
import { type SegmentRow, selectSegments } from './store.ts';

/** The most segments, and conditions, of one statement. Planning time grows faster than their number. */
const [segmentsAtOnce, conditionsAtOnce] = [20, 40];

/** With less time than this, the next segments are not evaluated. */
const leastMs = 50;

/** The segments that a contact is in. A merged contact leads to its survivor. */
export async function segmentsOfContact(
  tx: Tx,
  accountId: number,
  contactId: number,
  { now, limitMs = evaluationLimitMs }: Clock,
): Promise<ContactSegments> {
  const contact = await findContact(tx, accountId, contactId);
  if (!contact) throw noSuchContact();
  const id = contact.merged_into ?? contact.id;
  const deadline = performance.now() + limitMs;
  const { rows } = await selectSegments(tx, accountId, { limit: maxSegments, offset: 0 });
  const found: ContactSegments = { data: [], not_evaluated: [] };
  if (rows.length === 0) return found;
  const nested = await loadNested(tx, accountId, ...rows.map(({ definition }) => definition));
  const today = await todayOf(tx, accountId, now);
  const setting = { ...settingOf(accountId, today), today: raw('t.day'), day: undefined, byContact: true };
  const evaluateSome = async (some: SegmentRow[]): Promise<boolean[] | undefined> => {
    const left = deadline - performance.now();
    if (left < Math.min(limitMs / 2, leastMs)) return undefined;
    const compiler = new Compiler(setting, nested);
    const wheres = some.map(({ definition }) => compiler.where(definition));
    const work = async () => {
      await prepareEvaluation(tx, left, compiler.needs);
      return selectHolding(tx, accountId, id, compiler.joins, wheres, today.day);
    };
    return inSavepoint(tx, work, isTimeout);
  };
  for (const some of passesOf(rows)) {
    const holding = await evaluateSome(some);
    some.forEach((segment, n) => {
      const { id, name } = segment;
      if (!holding) found.not_evaluated.push({ id, name });
      else if (holding[n]) found.data.push({ id, name, since: null });
    });
  }
  return found;
}

function passesOf(rows: SegmentRow[]): SegmentRow[][] {
  const passes: SegmentRow[][] = [];
  let size = 0;
  for (const row of rows) {
    const conditions = conditionsOf(row.definition).length;
    const last = passes.at(-1);
    if (last && last.length < segmentsAtOnce && size + conditions <= conditionsAtOnce) {
      last.push(row);
      size += conditions;
    } else {
      passes.push([row]);
      size = conditions;
    }
  }
  return passes;
}
