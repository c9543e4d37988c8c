import Type, { type TObject, type TProperties, type TSchema } from 'typebox';

/** Field shapes shared by features. The OpenAPI document shows the `examples`. */
export const Id = (description: string, options: object = {}) =>
  Type.Integer({ description, examples: [12], ...options });

/** An optional field of a list element. An invalid value invalidates the whole element. */
export const vital = { 'x-vital': true };

export const Name = (description: string, example: string) =>
  Type.String({ description, minLength: 1, maxLength: 255, examples: [example] });

export const Instant = (description: string) =>
  Type.String({ description, format: 'date-time', examples: ['2026-03-01T12:30:00.000Z'] });

/** A time in the account's time zone. Input in ISO 8601 with an offset is converted. */
export const WallClock = (description: string, options: object = {}) =>
  Type.String({ description, format: 'wall-clock', examples: ['2026-03-01 12:30:00'], ...options });

export const Day = (description: string) => Type.String({ description, format: 'date', examples: ['2026-03-01'] });

/** An amount of money with two decimal places. */
export const Money = (description: string, example = 25) =>
  Type.Number({ description, minimum: -maxMoney, maximum: maxMoney, examples: [example] });
const maxMoney = 99_999_999_999;

export const money = (amount: number): string => decimal(amount, 2);

/** Rounds the decimal text, so that 1.005 becomes 1.01. Never returns "-0.00". */
export function decimal(value: number, places: number): string {
  // Smaller numbers have an exponent and round to zero.
  const written = Math.abs(value) < 1e-6 ? '0' : String(Math.abs(value));
  const shifted = Math.round(Number(`${written}e${places}`));
  const text = Number(`${shifted}e-${places}`).toFixed(places);
  return value < 0 && shifted > 0 ? `-${text}` : text;
}

export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const NoFields = Type.Object({});

/** A page of a list, with the twelve keys of the API's pagination object. */
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

/** The fields of a shape, all optional, for a PATCH. */
export const Changes = <P extends TProperties>(shape: TObject<P>) => Type.Partial(shape);

/** Builds the pagination object of one page. */
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

/** The rows of the requested page, and the total number of rows. */
export interface Rows<T> {
  rows: T[];
  total: number;
}

/** The requested rows of a list. */
export interface Slice {
  limit: number;
  offset: number;
}

/** The requested rows of a list that is read completely: the next rows after this id. */
export interface After {
  after: number;
  limit: number;
}
