import Type, { type Static, type TObject, type TString } from 'typebox';
import { builtInBookingSources, builtInFeedbackCategories, type LookupTable, udfTypes } from '../../../shared/codes.ts';
import { Id, Name, NamedItem } from '../../../shared/fields.ts';
import { pascal } from '../../../shared/phrases.ts';

/**
 * A look-up: a list of names with ids that contacts and activity refer to. The kinds differ in little but their names.
 */
export interface LookupKind {
  /** The table, and the last part of the admin API's path. */
  table: LookupTable;
  /** What the audit trail and the operation ids call one of them. */
  code: string;
  noun: string;
  plural: string;
  /** Extra fields. They are set at creation and never changed. */
  columns: readonly 'type'[];
  create: TObject<{ name: TString }>;
  rename: TObject<{ name: TString }>;
  answer: TObject;
  example: Record<string, string>;
  /** The built-in ids. They are the same in every account and cannot be changed. */
  builtIn: readonly { id: number; name: string }[];
}

export type Lookup = {
  id: number;
  name: string;
  type?: (typeof udfTypes)[number];
};

/** The maximum length of a list, because the partner API returns a list in one response. */
export const maxLookupLength = 1000;

function kind(
  table: LookupTable,
  noun: string,
  plural: string,
  exampleName: string,
  builtIn: LookupKind['builtIn'] = [],
): LookupKind {
  const name = Name(`The name of the ${noun}. It is unique in the account; case does not matter.`, exampleName);
  const code = noun.replaceAll(' ', '_');
  const write = Type.Object({ name }, { title: `${pascal(code)}Write` });
  return {
    table,
    code,
    noun,
    plural,
    columns: [],
    create: write,
    rename: write,
    answer: Type.Object({ id: Id(`The id of the ${noun}.`), name }, { title: pascal(code) }),
    example: { name: exampleName },
    builtIn,
  };
}

function udfs(): LookupKind {
  const base = kind('udfs', 'user-defined field', 'user-defined fields', 'Favourite table');
  const type = Type.Enum(udfTypes, {
    description: 'The type of the values. It cannot be changed.',
    examples: ['text'],
  });
  return {
    ...base,
    code: 'udf',
    columns: ['type'],
    create: Type.Object({ ...base.create.properties, type }, { title: 'UdfCreate' }),
    rename: Type.Object({ ...base.rename.properties }, { title: 'UdfUpdate' }),
    answer: Type.Object({ ...base.answer.properties, type }, { title: 'Udf' }),
    example: { ...base.example, type: 'text' },
  };
}

export const lookupKinds = {
  udfs: udfs(),
  sources: kind('sources', 'source', 'sources', 'Guest wifi'),
  providers: kind('providers', 'provider', 'providers', 'Table Tills Ltd'),
  feedbackCategories: kind(
    'feedback_categories',
    'feedback category',
    'feedback categories',
    'Atmosphere',
    builtInFeedbackCategories,
  ),
  bookingSources: kind('booking_sources', 'booking source', 'booking sources', 'Concierge', builtInBookingSources),
} satisfies Record<string, LookupKind>;

/** What the partners' look-ups answer. */
export const LookupList = Type.Object(
  { data: Type.Array(NamedItem, { description: 'All entries, sorted by id.' }) },
  { title: 'LookupList' },
);
export type LookupList = Static<typeof LookupList>;
