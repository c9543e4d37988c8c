import { join, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { type Base, baseOf, baseTables } from './compile-base.ts';
import { holdsSql } from './compile-condition.ts';
import { type Setting, Sources } from './compile-sources.ts';
import { type Condition, conditionsOf, type Definition, fieldOf } from './definition-schema.ts';
import type { Nested } from './expand.ts';

/** A definition as SQL: `from ${from} where …`. The rows of contacts, or what stands for them, have the alias `c`. */
export interface Compiled {
  /** If set, the members are faster to count as all contacts without the members of this. */
  opposite?: { from: Sql; where: Sql };
  from: Sql;
  where: Sql;
  /** Whether it reads activity day by day, and not only a row or two per contact. */
  readsDays: boolean;
  joinCount: number;
}

export interface CompiledCondition {
  /** True, or false or null. */
  holds: Sql;
  /** The contact's own value, as JSON. */
  actual: Sql;
}

/**
 * Turns definitions into conditions on `c`, a row of contacts. Conditions that need the same rows share one join, also
 * those of several definitions.
 */
export class Compiler {
  readonly #setting: Setting;
  readonly #sources: Sources;
  readonly #nested: Nested;

  /** `sharesFigures`: several conditions read the figures. */
  constructor(setting: Setting, nested: Nested, sharesFigures = true) {
    this.#setting = setting;
    this.#sources = new Sources(setting, sharesFigures);
    this.#nested = nested;
  }

  /** The condition of a definition. Null counts as false. */
  where(definition: Definition): Sql {
    return this.#node(definition, false);
  }

  condition(condition: Condition): CompiledCondition {
    const { holds, actual } =
      condition.field === 'segment' ? this.#segment(condition) : holdsSql(condition, this.#sources, this.#setting);
    return { holds, actual: actual() };
  }

  /** The joins that all conditions so far need. */
  get joins(): Sql {
    return this.#sources.joins();
  }

  /** What the statement needs. */
  get needs(): Pick<Compiled, 'readsDays' | 'joinCount'> {
    return { readsDays: this.#sources.readsDays, joinCount: this.#sources.size };
  }

  /**
   * NOT is applied to the conditions, not to the whole: a condition on a contact without a row is null, which counts as
   * false, and so its opposite is true.
   */
  #node(definition: Definition, negated: boolean): Sql {
    if ('not' in definition) return this.#node(definition.not, !negated);
    if ('all' in definition || 'any' in definition) {
      const parts = 'all' in definition ? definition.all : definition.any;
      const isAnd = 'all' in definition !== negated;
      return sql`(${join(
        parts.map((part) => this.#node(part, negated)),
        isAnd ? ' and ' : ' or ',
      )})`;
    }
    const { holds } =
      definition.field === 'segment'
        ? this.#segment(definition, negated)
        : holdsSql(definition, this.#sources, this.#setting);
    return negated && definition.field !== 'segment' ? sql`((${holds}) is not true)` : holds;
  }

  /** Member of any of the segments; a segment that does not exist has no members. */
  #segment({ op, value }: Condition, negated = false): { holds: Sql; actual(): Sql } {
    const known = (Array.isArray(value) ? value : []).flatMap((id) => {
      const definition = this.#nested.get(id);
      return definition ? [{ id, definition }] : [];
    });
    const isOutside = (op === 'not_in') !== negated;
    const parts = known.map(({ definition }) => this.#node(definition, isOutside));
    const holds = isOutside
      ? sql`(${join([raw('true'), ...parts], ' and ')})`
      : sql`(${join([raw('false'), ...parts], ' or ')})`;
    const actual = () => {
      const inside = known.map(
        ({ id, definition }) => sql`case when ${this.#node(definition, false)} then ${id}::bigint end`,
      );
      return inside.length === 0
        ? sql`'[]'::jsonb`
        : sql`to_jsonb(array_remove(array[${join(inside)}]::bigint[], null))`;
    };
    return { holds, actual };
  }
}

const ofFigures = ['figure', 'nps', 'date'];

/** Compiles one definition. */
export function compile(definition: Definition, nested: Nested, setting: Setting): Compiled {
  const conditions = [definition, ...nested.values()].flatMap((one) => conditionsOf(one));
  const readers = conditions.filter(({ condition }) => ofFigures.includes(fieldOf(condition.field)?.kind ?? ''));
  const compileOn = (base: Base, one: Definition) => {
    const compiler = new Compiler({ ...setting, base }, nested, readers.length > 1 || base === 'figures');
    const where = compiler.where(one);
    return { from: sql`${baseTables[base]} ${compiler.joins}`, where, ...compiler.needs };
  };
  // The statements about few contacts read their rows of contacts.
  if (setting.byContact || setting.day === undefined) return compileOn('contacts', definition);
  const base = baseOf(definition, nested);
  const not = { not: definition };
  const hasOpposite = base === 'contacts' && baseOf(not, nested) === 'figures';
  return { ...compileOn(base, definition), ...(hasOpposite && { opposite: compileOn('figures', not) }) };
}
