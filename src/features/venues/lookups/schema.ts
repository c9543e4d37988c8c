import Type, { type Static, type TObject, type TString } from 'typebox';
import { Id, Name } from '../../../shared/fields.ts';

/**
 * A look-up: a list of names with ids that contacts and activity refer to. The kinds differ in little but their names.
 */
export interface LookupKind {
  /** The name of the table, and the last part of the path in the admin API. */
  table: 'udfs' | 'sources' | 'providers' | 'feedback_categories' | 'booking_sources';
  /** The name of one entry in the audit trail and in operation ids. */
  code: string;
  noun: string;
  plural: string;
  /** Extra fields. They are set at creation and never changed. */
  columns: readonly 'type'[];
  create: TObject;
  rename: TObject<{ name: TString }>;
  answer: TObject;
  example: Record<string, string>;
  /** The built-in ids. They are the same in every account and cannot be changed. */
  builtIn: readonly { id: number; name: string }[];
}

export type Lookup = {
  id: number;
  name: string;
  type?: 'text' | 'date';
};

/** The maximum length of a list, because the partner API returns a list in one response. */
export const maxLookupLength = 1000;

function kind(
  table: LookupKind['table'],
  noun: string,
  plural: string,
  exampleName: string,
  builtIn: LookupKind['builtIn'] = [],
): LookupKind {
  const name = Name(`What the ${noun} is called; unique in the account, whatever the case.`, exampleName);
  return {
    table,
    code: noun.replaceAll(' ', '_'),
    noun,
    plural,
    columns: [],
    create: Type.Object({ name }),
    rename: Type.Object({ name }),
    answer: Type.Object({ id: Id(`The ${noun}’s id`), name }),
    example: { name: exampleName },
    builtIn,
  };
}

function udfs(): LookupKind {
  const base = kind('udfs', 'user-defined field', 'user-defined fields', 'Favourite table');
  const type = Type.Enum(['text', 'date'], { description: 'What its values are.', examples: ['text'] });
  return {
    ...base,
    code: 'udf',
    columns: ['type'],
    create: Type.Object({ ...base.create.properties, type }),
    answer: Type.Object({ ...base.answer.properties, type }),
    example: { ...base.example, type: 'text' },
  };
}

export const lookupKinds = {
  udfs: udfs(),
  sources: kind('sources', 'source', 'sources', 'Guest wifi'),
  providers: kind('providers', 'provider', 'providers', 'Table Tills Ltd'),
  feedbackCategories: kind('feedback_categories', 'feedback category', 'feedback categories', 'Atmosphere', [
    { id: 1, name: 'food' },
    { id: 2, name: 'drink' },
    { id: 3, name: 'service' },
    { id: 4, name: 'NPS' },
  ]),
  bookingSources: kind('booking_sources', 'booking source', 'booking sources', 'Concierge', [
    { id: 1, name: 'website' },
    { id: 9, name: 'in house' },
    { id: 10, name: 'third party' },
  ]),
} satisfies Record<string, LookupKind>;

export const feedbackTypes = [
  { id: 1, name: 'positive' },
  { id: 2, name: 'negative' },
  { id: 3, name: 'neutral' },
  { id: 4, name: 'unknown' },
];

/** The response of the partner API. */
export const LookupList = Type.Object({ data: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })) });
export type LookupList = Static<typeof LookupList>;
