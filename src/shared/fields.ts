import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { textIn } from './record.ts';

/** Field shapes shared by features. The OpenAPI document shows the `examples`. */
export const Id = (description: string, options: object = {}) =>
  Type.Integer({ description, format: 'int64', ...options });

/** An optional field of a list element. An invalid value invalidates the whole element. */
export const vital = { 'x-vital': true };

export const Name = (description: string, example: string) =>
  Type.String({ description, minLength: 1, maxLength: 255, examples: [example] });

export const Instant = (description: string) =>
  Type.String({ description, format: 'date-time', examples: ['2026-03-01T12:30:00.000Z'] });

/** A time in the account's time zone. A request may also have ISO 8601 with an offset, which is converted. */
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

/** Something with a name, referred to by its id. */
export const NamedItem = Type.Object(
  { id: Id('Id'), name: Type.String({ description: 'The name.', examples: ['The Anchor'] }) },
  { title: 'NamedItem' },
);

/** The twelve keys of the seed's pagination object, without `data`. */
const PageInfo = Type.Object(
  {
    current_page: Type.Integer({ description: 'The number of this page.', minimum: 1 }),
    first_page_url: Type.String({ description: 'The URL of the first page.' }),
    from: Nullable(
      Type.Integer({ description: 'The position of the first entry in the list. Null on an empty page.' }),
    ),
    last_page: Type.Integer({ description: 'The number of the last page.', minimum: 1 }),
    last_page_url: Type.String({ description: 'The URL of the last page.' }),
    next_page_url: Nullable(Type.String({ description: 'The URL of the next page. Null on the last page.' })),
    path: Type.String({ description: 'The URL of the list, without a query.' }),
    per_page: Type.Integer({ description: 'The number of entries per page: 100.' }),
    prev_page_url: Nullable(Type.String({ description: 'The URL of the previous page. Null on the first page.' })),
    to: Nullable(Type.Integer({ description: 'The position of the last entry in the list. Null on an empty page.' })),
    total: Type.Integer({ description: 'The number of entries on all pages.', minimum: 0 }),
  },
  { title: 'Page', description: 'The position of a page in its list.' },
);

/** One page of a list. Its component is named after the component of the item. */
export const Page = <S extends TSchema>(item: S) =>
  Type.Intersect([PageInfo, Type.Object({ data: Type.Array(item) })], {
    title: `${textIn(item, 'title')}Page`,
  });

/** All fields of a shape, each of which may be left out: what a PATCH takes. */
export const Changes = <P extends TProperties>(shape: TObject<P>, title?: string) =>
  Type.Partial(shape, title === undefined ? {} : { title });

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
