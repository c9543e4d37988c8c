import {
  type Condition,
  type Definition,
  type FigureField,
  flagFields,
  idFields,
  type Op,
  udfIdOf,
} from '#service/shared/segment-fields.ts';
import { capitalise, formatDay, formatMoney, formatNumber, withCount } from '../../ui/format.ts';
import { fieldWords, genders, isFieldName, leadOf, months } from './words.ts';

export type NamedKind = (typeof idFields)[number] | 'udf';
/** The name of a venue, group, source, segment or custom field. */
export type NameOf = (kind: NamedKind, id: number) => string;

/** The definition as an English sentence: "Guests who visited at least 3 times and may be e-mailed." */
export function sentenceOf(definition: Definition, nameOf: NameOf): string {
  const { not, inner } = unwrapped(definition);
  const text = partsText(inner, nameOf);
  return `Guests ${not ? 'except those ' : ''}${text}.`;
}

/** One condition of a guest: "Visited at least 3 times". */
export function conditionText(condition: Condition, nameOf: NameOf): string {
  return capitalise(phraseOf(condition, nameOf));
}

/** The guest's own value beside a condition. Empty if the condition says it all. */
export function actualText({ field }: Condition, actual: unknown, nameOf: NameOf): string {
  if (actual === null || actual === undefined || actual === '') return 'not known';
  if (typeof actual === 'boolean') return actual ? 'yes' : 'no';
  if (Array.isArray(actual)) {
    if (!isOneOf(idFields, field)) return actual.join(', ');
    const names = actual.map((id) => nameOf(field, Number(id)));
    return names.length === 0 ? 'none' : new Intl.ListFormat('en-GB').format(names);
  }
  if (field === 'spend' || field === 'average_spend') return formatMoney(Number(actual));
  if (typeof actual === 'number') return isOneOf(idFields, field) ? nameOf(field, actual) : formatNumber(actual);
  const text = String(actual);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? formatDay(text) : text;
}

/** Without `not` around it. Two of them cancel each other out. */
function unwrapped(definition: Definition): { not: boolean; inner: Exclude<Definition, { not: unknown }> } {
  let [not, inner] = [false, definition];
  while ('not' in inner) [not, inner] = [!not, inner.not];
  return { not, inner };
}

/** Without the outer brackets: "who visited and whose city is Leeds". */
function partsText(definition: Exclude<Definition, { not: unknown }>, nameOf: NameOf): string {
  const parts = 'all' in definition ? definition.all : 'any' in definition ? definition.any : undefined;
  if (!parts) return `${leadOf((definition as Condition).field)} ${phraseOf(definition as Condition, nameOf)}`;
  const isAll = 'all' in definition;
  let text = '';
  let lead = '';
  const unwrappedParts = parts.map(unwrapped);
  // What is left out comes last: "who live in Bath, but not those who visited".
  const ordered = [...unwrappedParts.filter(({ not }) => !not), ...unwrappedParts.filter(({ not }) => not)];
  for (const [n, { not, inner }] of ordered.entries()) {
    const isGroup = 'all' in inner || 'any' in inner;
    const joint = n === 0 ? '' : isAll ? ' and ' : ' or ';
    const whole = isGroup && parts.length > 1 ? `(${partsText(inner, nameOf)})` : partsText(inner, nameOf);
    if (not) {
      if (n === 0) text = `except those ${whole}`;
      else if (isAll) text += ordered[n - 1]?.not ? `, and not those ${whole}` : `, but not those ${whole}`;
      else text += ` or all except those ${whole}`;
      lead = '';
    } else if (isGroup) {
      text += `${joint}${whole}`;
      lead = '';
    } else {
      const own = leadOf((inner as Condition).field);
      text += `${joint}${own === lead ? '' : `${own} `}${phraseOf(inner as Condition, nameOf)}`;
      lead = own;
    }
  }
  return text;
}

/** A condition without "who" or "whose": "visited The Anchor at least 3 times in the last 90 days". */
function phraseOf(condition: Condition, nameOf: NameOf): string {
  const { field } = condition;
  const venues = (condition.unit_ids ?? []).map((id) => nameOf('unit', id));
  const where = venues.length === 0 ? '' : ` at ${either(venues)}`;
  const { in_last_days } = condition;
  const when = in_last_days === undefined ? '' : in_last_days === 0 ? ' today' : ` ${lastDays(in_last_days)}`;
  if (isOneOf(flagFields, field)) {
    const words = fieldWords[field].choice;
    return condition.value === false ? words.replace('may ', 'may not ') : words;
  }
  if (isOneOf(idFields, field)) return idsPhrase(field, condition, nameOf);
  if (field === 'nps') return npsPhrase(condition, `${where}${when}`);
  if (field === 'spend') return `spent ${amounts(condition)}${where}${when}`;
  if (field === 'average_spend') return `spent ${amounts(condition)} per visit on average${where}${when}`;
  if (field in countVerbs) return countPhrase(condition, venues, where, when);
  if (field === 'birthday') return birthdayPhrase(condition);
  if (field === 'last_visit' || field === 'first_visit') {
    const place = venues.length === 0 ? '' : ` ${either(venues)}`;
    if (condition.op === 'known') return `have visited${place}`;
    if (condition.op === 'unknown') return `have never visited${place}`;
    return `${field === 'last_visit' ? 'last' : 'first'} visited${place} ${datePhrase(condition)}`;
  }
  if (field === 'created_at' || field === 'dob') {
    const verb = fieldWords[field].choice;
    if (condition.op === 'known' || condition.op === 'unknown')
      return `${verb} on ${condition.op === 'known' ? 'a known' : 'an unknown'} date`;
    return `${verb} ${datePhrase(condition)}`;
  }
  return textPhrase(condition, nameOf);
}

const isOneOf = <T extends string>(list: readonly T[], name: string): name is T => list.some((one) => one === name);
const either = (names: string[]) => new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
const lastDays = (days: unknown) => (days === 1 ? 'since yesterday' : `in the last ${withCount(Number(days), 'day')}`);

/** What guests did, and what those did who did not. */
const countVerbs: Partial<Record<FigureField, { did: string; didNot: string }>> = {
  visits: { did: 'visited', didNot: 'did not visit' },
  purchases: { did: 'bought something', didNot: 'did not buy anything' },
  bookings: { did: 'booked', didNot: 'did not book' },
  cancelled_bookings: { did: 'cancelled a booking', didNot: 'did not cancel a booking' },
  stays: { did: 'stayed overnight', didNot: 'did not stay overnight' },
  vouchers_redeemed: { did: 'redeemed a voucher', didNot: 'did not redeem a voucher' },
};

function countPhrase({ field, op, value }: Condition, venues: string[], where: string, when: string): string {
  const { did, didNot } = countVerbs[field as FigureField] ?? { did: field, didNot: `not ${field}` };
  // "visited The Anchor", but "booked at The Anchor".
  const place = field === 'visits' && venues.length > 0 ? ` ${either(venues)}` : where;
  const [low, high] = Array.isArray(value) ? value : [];
  const most = op === 'between' ? high : op === 'at_most' ? Number(value) : undefined;
  if (most !== undefined && most <= 0) return `${didNot}${place}${when}`;
  if (op === 'at_least' && value === 1) return `${did}${place}${when}`;
  const often = () => {
    if (op === 'between') return low === high ? `exactly ${times(low)}` : `${low} to ${times(high)}`;
    return `${op === 'at_least' ? 'at least' : 'at most'} ${times(Number(value))}`;
  };
  return `${did}${place} ${often()}${when}`;
}

function times(count: number | undefined): string {
  if (count === undefined) return '… times';
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${formatNumber(count)} times`;
}

function amounts({ op, value }: Condition): string {
  if (Array.isArray(value)) return `between ${formatMoney(value[0] ?? 0)} and ${formatMoney(value[1] ?? 0)}`;
  return `${op === 'at_least' ? 'at least' : 'at most'} ${formatMoney(Number(value))}`;
}

function npsPhrase({ op, value }: Condition, place: string): string {
  if (op === 'known') return `gave an NPS rating${place}`;
  if (op === 'unknown') return `gave no NPS rating${place}`;
  const rating = Array.isArray(value)
    ? `${value[0]} to ${value[1]}`
    : `${op === 'at_least' ? 'at least' : 'at most'} ${value}`;
  return `gave an NPS rating of ${rating}${place}`;
}

function birthdayPhrase({ op, value }: Condition): string {
  if (op === 'in_month') return `have their birthday in ${months[Number(value) - 1] ?? '…'}`;
  return `have their birthday ${value === 0 ? 'today' : `in the next ${withCount(Number(value), 'day')}`}`;
}

function datePhrase({ op, value }: Condition): string {
  if (op === 'in_last_days') return value === 0 ? 'today' : lastDays(value);
  if (op === 'not_in_last_days') return `more than ${withCount(Number(value), 'day')} ago`;
  return `${op} ${typeof value === 'string' && value !== '' ? formatDay(value) : '…'}`;
}

const idVerbs: Record<(typeof idFields)[number], { is: string; isNot: string }> = {
  unit: { is: 'belong to', isNot: 'do not belong to' },
  group: { is: 'are in the group', isNot: 'are not in the group' },
  source: { is: 'came from', isNot: 'did not come from' },
  segment: { is: 'are in the segment', isNot: 'are not in the segment' },
};

function idsPhrase(field: (typeof idFields)[number], { op, value }: Condition, nameOf: NameOf): string {
  const names = (Array.isArray(value) ? value : []).map((id) => nameOf(field, id));
  const { is, isNot } = idVerbs[field];
  return `${op === 'in' ? is : isNot} ${names.length === 0 ? '…' : either(names)}`;
}

const textVerbs: Partial<Record<Op, string>> = { is: 'is', is_not: 'is not', starts_with: 'starts with' };

function textPhrase(condition: Condition, nameOf: NameOf): string {
  const { field, op, value } = condition;
  const udfId = udfIdOf(field);
  const name = udfId === undefined ? (isFieldName(field) ? fieldWords[field].choice : field) : nameOf('udf', udfId);
  if (op === 'known' || op === 'unknown') return `${name} is ${op === 'known' ? '' : 'not '}known`;
  const verb = textVerbs[op];
  if (verb === undefined) return `${name} is ${datePhrase(condition)}`;
  const shown = field === 'gender' ? (genders.find((one) => one.value === value)?.label ?? value) : value;
  return `${name} ${verb} ${shown === undefined || shown === '' ? '…' : shown}`;
}
