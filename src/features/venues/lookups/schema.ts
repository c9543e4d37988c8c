import Type, { type Static, type TObject, type TString } from 'typebox';
import { builtInBookingSources, builtInFeedbackCategories, type LookupTable, udfTypes } from '../../../shared/codes.ts';
import { Id, Name } from '../../../shared/fields.ts';

/** A list of named things that guests' data refers to by id, kept by staff. They differ in little but their names. */
export interface LookupKind {
  /** The table, and the last part of the admin API's path. */
  table: LookupTable;
  /** What the audit trail and the operation ids call one of them. */
  code: string;
  noun: string;
  plural: string;
  /** Fields besides the name: set when it is made, and not changed afterwards. */
  columns: readonly 'type'[];
  create: TObject;
  rename: TObject<{ name: TString }>;
  answer: TObject;
  example: Record<string, string>;
  /** Ids that the interface itself names: in every account, and not for staff to change. */
  builtIn: readonly { id: number; name: string }[];
}

export type Lookup = {
  id: number;
  name: string;
  type?: (typeof udfTypes)[number];
};

/** A partner's look-up answers a whole list at once, so staff can't make those any longer than this. */
export const longestLookup = 1000;

function kind(
  table: LookupTable,
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
  const type = Type.Enum(udfTypes, { description: 'What its values are.', examples: ['text'] });
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
export const LookupList = Type.Object({ data: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })) });
export type LookupList = Static<typeof LookupList>;
