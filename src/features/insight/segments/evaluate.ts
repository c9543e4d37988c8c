import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { today } from '../../../shared/clock.ts';
import { codeOf } from '../../../shared/errors.ts';
import type { Slice } from '../../../shared/fields.ts';
import { Invalid } from '../../../shared/problem.ts';
import { getAccount } from '../../access/accounts/store.ts';
import { requireFigures } from '../../figures/read-store.ts';
import { type Compiled, Compiler, compile } from './compile.ts';
import type { Setting } from './compile-sources.ts';
import { type Condition, conditionsOf, type Definition, fieldOf, maxDays, maxIds } from './definition-schema.ts';
import type { Nested } from './expand.ts';
import {
  countAndSelect,
  countManyMembers,
  countMembers,
  inSavepoint,
  prepareEvaluation,
  selectMemberIds,
  selectNewestParts,
} from './members-store.ts';
import type { Counts } from './schema.ts';
import type { SegmentRow } from './store.ts';

/** A segment that takes longer to evaluate is refused. */
export const evaluationLimitMs = 5000;

/** When, and for how long, segments are evaluated. */
export interface Clock {
  now: Date;
  /** For tests. */
  limitMs?: number;
}

export interface Today {
  day: string;
  timeZone: string;
}

export async function todayOf(tx: Tx, accountId: number, now: Date): Promise<Today> {
  const { account } = await tx.inOrder({
    account: () => getAccount(tx, accountId),
    figures: () => requireFigures(tx, accountId),
  });
  const { time_zone } = account;
  return { day: today(now, time_zone), timeZone: time_zone };
}

export const settingOf = (accountId: number, { day, timeZone }: Today): Setting => ({
  accountId,
  timeZone,
  today: sql`${day}::date`,
  day,
  byContact: false,
});

/** Runs statements about the members of a definition. A definition that takes too long gets a 422. */
export async function evaluate<T>(
  tx: Tx,
  accountId: number,
  { definition, nested }: { definition: Definition; nested: Nested },
  { now, limitMs = evaluationLimitMs }: Clock,
  work: (compiled: Compiled) => Promise<T>,
): Promise<T> {
  const compiled = compile(definition, nested, settingOf(accountId, await todayOf(tx, accountId, now)));
  await prepareEvaluation(tx, limitMs, compiled);
  try {
    return await work(compiled);
  } catch (error) {
    throw isTimeout(error) ? tooSlow(definition, nested, limitMs) : error;
  }
}

/** The counts of a definition, and some of its newest members. */
export function evaluateSlice(
  tx: Tx,
  accountId: number,
  checked: { definition: Definition; nested: Nested },
  slice: Slice,
  clock: Clock,
): Promise<{ counts: Counts; ids: number[] }> {
  return evaluate(tx, accountId, checked, clock, async (compiled) => {
    if (compiled.readsDays) return countAndSelect(tx, accountId, compiled, slice);
    const starts = await selectNewestParts(tx, accountId);
    const { counts, above } = await countMembers(tx, accountId, compiled, starts);
    if (slice.offset >= counts.count) return { counts, ids: [] };
    // The smallest part with enough members.
    const start = starts.find((_, n) => (above[n] ?? 0) >= slice.offset + slice.limit) ?? 0;
    return { counts, ids: await selectMemberIds(tx, accountId, compiled, slice, start) };
  });
}

/** PostgreSQL cancelled a statement. */
export const isTimeout = (error: unknown) => codeOf(error) === '57014';

/** The most segments that are counted in one pass. */
const countedAtOnce = 10;

/** With less time than this, the next segments are not counted. */
const leastMs = 100;

/** The counts of segments whose members are not stored, by id. Those that were not counted in time are missing. */
export async function countLive(
  tx: Tx,
  accountId: number,
  segments: Pick<SegmentRow, 'id' | 'definition'>[],
  nested: Nested,
  today: Today,
  limitMs: number,
): Promise<Map<number, Counts>> {
  const setting = settingOf(accountId, today);
  const deadline = performance.now() + limitMs;
  const counted = new Map<number, Counts>();
  const countSome = async (some: typeof segments): Promise<Counts[]> => {
    const left = deadline - performance.now();
    if (left < Math.min(limitMs / 2, leastMs)) return [];
    const compiler = new Compiler(setting, nested);
    const wheres = some.map(({ definition }) => compiler.where(definition));
    const work = async () => {
      await prepareEvaluation(tx, left, compiler.needs);
      return countManyMembers(tx, accountId, compiler.joins, wheres);
    };
    return (await inSavepoint(tx, work, isTimeout)) ?? [];
  };
  for (const some of passesOf(segments)) {
    const counts = await countSome(some);
    counts.forEach((count, n) => {
      const segment = some[n];
      if (segment) counted.set(segment.id, count);
    });
  }
  return counted;
}

/** The most conditions of several definitions in one pass. Planning time grows faster than their number. */
const conditionsAtOnce = 40;

/** Segments that are evaluated together. */
export function passesOf<One extends { definition: Definition }>(segments: One[]): One[][] {
  const passes: One[][] = [];
  let size = 0;
  for (const segment of segments) {
    const conditions = conditionsOf(segment.definition).length;
    const last = passes.at(-1);
    if (last && last.length < countedAtOnce && size + conditions <= conditionsAtOnce) {
      last.push(segment);
      size += conditions;
    } else {
      passes.push([segment]);
      size = conditions;
    }
  }
  return passes;
}

/** Names the condition that is likely to cost most. */
export function tooSlow(definition: Definition, nested: Nested, limitMs: number): Invalid {
  const [worst] = conditionsOf(definition)
    .map((one) => ({ ...one, cost: costOf(one.condition, nested) }))
    .sort((a, b) => b.cost - a.cost);
  const { path, condition } = worst ?? { path: 'definition', condition: undefined };
  const hint =
    condition && readsDays(condition)
      ? 'Use fewer days in in_last_days, or fewer unit_ids.'
      : condition?.field === 'segment'
        ? 'Simplify the segments that it names.'
        : 'Remove this condition, or use another field.';
  return new Invalid({
    [path]: [`The segment takes longer than ${limitMs / 1000} s to evaluate. This condition costs most. ${hint}`],
  });
}

/** Whether the condition reads activity day by day. The others read one row per contact. */
function readsDays({ field, in_last_days, unit_ids }: Condition): boolean {
  if (unit_ids !== undefined) return true;
  return in_last_days !== undefined && fieldOf(field)?.kind === 'figure' && field !== 'visits';
}

function costOf(condition: Condition, nested: Nested, levels = 5): number {
  const { field, value, in_last_days, unit_ids } = condition;
  if (field === 'segment' && Array.isArray(value) && levels > 0) {
    const inner = value.flatMap((id) => {
      const definition = nested.get(id);
      return definition ? conditionsOf(definition) : [];
    });
    return inner.reduce((sum, one) => sum + costOf(one.condition, nested, levels - 1), 0);
  }
  if (!readsDays(condition)) return fieldOf(field)?.kind === 'text' ? 2 : 1;
  return 10 * ((in_last_days ?? maxDays) + 1) * (unit_ids?.length ?? maxIds);
}
