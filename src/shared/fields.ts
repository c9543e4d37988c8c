import Type, { type TObject, type TProperties, type TSchema } from 'typebox';

/** The field shapes that features share. `examples` are what the OpenAPI document and the reference show. */
export const Id = (description: string, options: object = {}) =>
  Type.Integer({ description, examples: [12], ...options });

/** Of a field of one of a list: it may be left out, but a bad value spoils all of that one. */
export const vital = { 'x-vital': true };

export const Name = (description: string, example: string) =>
  Type.String({ description, minLength: 1, maxLength: 255, examples: [example] });

export const Instant = (description: string) =>
  Type.String({ description, format: 'date-time', examples: ['2026-03-01T12:30:00.000Z'] });

/** A time on the account's clock. What is sent may also be ISO 8601 with an offset, and is converted. */
export const WallClock = (description: string, options: object = {}) =>
  Type.String({ description, format: 'wall-clock', examples: ['2026-03-01 12:30:00'], ...options });

export const Day = (description: string) => Type.String({ description, format: 'date', examples: ['2026-03-01'] });

/** An amount of money, kept to two places. */
export const Money = (description: string, example = 25) =>
  Type.Number({ description, minimum: -mostMoney, maximum: mostMoney, examples: [example] });
const mostMoney = 99_999_999_999;

export const money = (amount: number): string => decimal(amount, 2);

/** Rounded as it was written, so that 1.005 becomes 1.01, to so many places; and never "-0.00". */
export function decimal(value: number, places: number): string {
  // What is smaller than that is written with an exponent, and comes to nothing.
  const written = Math.abs(value) < 1e-6 ? '0' : String(Math.abs(value));
  const shifted = Math.round(Number(`${written}e${places}`));
  const text = Number(`${shifted}e-${places}`).toFixed(places);
  return value < 0 && shifted > 0 ? `-${text}` : text;
}

export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const NoFields = Type.Object({});

/** A list that the twelve keys of the seed's pagination object wrap. */
export const Page = <S extends TSchema>(item: S) =>
  Type.Object({
    current_page: Type.Integer({ minimum: 1 }),
    data: Type.Array(item),
    first_page_url: Type.String(),
    from: Nullable(Type.Integer()),
    last_page: Type.Integer({ minimum: 1 }),
    last_page_url: Type.String(),
    next_page_url: Nullable(Type.String()),
    path: Type.String(),
    per_page: Type.Integer(),
    prev_page_url: Nullable(Type.String()),
    to: Nullable(Type.Integer()),
    total: Type.Integer({ minimum: 0 }),
  });

/** All fields of a shape, each of which may be left out: what a PATCH takes. */
export const Changes = <P extends TProperties>(shape: TObject<P>) => Type.Partial(shape);

/** The seed's pagination object around one page of a list. */
export interface Paged<T> {
  current_page: number;
  data: T[];
  first_page_url: string;
  from: number | null;
  last_page: number;
  last_page_url: string;
  next_page_url: string | null;
  path: string;
  per_page: number;
  prev_page_url: string | null;
  to: number | null;
  total: number;
}
export type Paginate = <T>(rows: Rows<T>) => Paged<T>;

/** What a verb gives for a list: the asked page's rows, and how many there are in all. */
export interface Rows<T> {
  rows: T[];
  total: number;
}

/** Which rows of a list are wanted. */
export interface Slice {
  limit: number;
  offset: number;
}

/** Which rows are wanted of a list that is read from end to end: the next so many behind this id. */
export interface After {
  after: number;
  limit: number;
}
