import Type, { type Static } from 'typebox';
import { Day, Id, Instant, Name, Nullable, WallClock } from '../../shared/fields.ts';

/*
 * A voucher is a unique code in a unique code group. The case of A to Z and surrounding spaces are ignored, because
 * codes are read from a phone and typed at a till.
 */
export const codeKey = (code: string) => code.replace(/[a-z]/g, (letter) => letter.toUpperCase());

const code = Type.String({
  description: 'The code. The case of A to Z and surrounding space play no part; leading zeros do.',
  minLength: 1,
  maxLength: 255,
  examples: ['SUMMER-7KQ'],
});
const at = {
  unique_code_group_id: Type.Optional(Id('The group that the code is in: needed where several groups have it.')),
  unique_code: code,
};
const Status = Type.Enum(['Active', 'Redeemed'], { description: 'Whether it can still be redeemed.' });
const RedeemedAt = Type.String({
  description: 'When it was redeemed, in UTC.',
  format: 'date-time',
  examples: ['2026-03-01T12:30:00.000000Z'],
});

export const NewCodeGroup = Type.Object({
  unit_id: Id('The unit the group is on: typically the root unit.'),
  name: Name('What the group is called; unique in the account and unit, whatever the case.', 'Summer vouchers'),
});
export type NewCodeGroup = Static<typeof NewCodeGroup>;

export const CodeGroupId = Type.Object({ id: Id('Unique code group id') });

export const Redeem = Type.Object({
  unit_id: Id('The unit where the code is redeemed.'),
  ...at,
  redemption_date: Type.Optional(WallClock('When it was redeemed; the time of the request unless given.')),
});
export type Redeem = Static<typeof Redeem>;

export const FindCode = Type.Object(at);
export type FindCode = Static<typeof FindCode>;

const codeFields = {
  id: Id('Id of the code'),
  unique_code: code,
  unique_code_group_id: Type.String({ description: 'The group that it is in.', examples: ['8'] }),
  contact_id: Type.String({ description: 'The contact to whom it is assigned; blank: nobody.', examples: ['42'] }),
};

export const RedeemedCode = Type.Object({
  ...codeFields,
  redeemed_at_unit_id: Id('The unit where it was redeemed.'),
  redeemed_at_datetime: RedeemedAt,
  unique_code_status: Type.Enum(['Redeemed']),
});
export type RedeemedCode = Static<typeof RedeemedCode>;

/** The same object for a code that may not be redeemed. */
export const CheckedCode = Type.Object({
  ...codeFields,
  redeemed_at_unit_id: Nullable(Id('The unit where it was redeemed; null: it was not.')),
  redeemed_at_datetime: Nullable(RedeemedAt),
  unique_code_status: Status,
});
export type CheckedCode = Static<typeof CheckedCode>;

/** A code in the list of a contact. */
export const ContactCode = Type.Object({
  ...CheckedCode.properties,
  unique_code_group_name: Type.String({ description: 'What that group is called.', examples: ['Summer vouchers'] }),
  redeemed_at_unit_name: Nullable(Type.String({ description: 'What that unit is called.', examples: ['The Anchor'] })),
});
export type ContactCode = Static<typeof ContactCode>;

/** A code for staff, with the names of contact and unit. */
export const StaffCode = Type.Object({
  id: Id('Id of the code'),
  unique_code: code,
  unique_code_group_id: Id('The group that it is in.'),
  status: Status,
  contact_id: Nullable(Id('The contact to whom it is assigned.')),
  contact_name: Nullable(Type.String({ description: 'Who that is, if a name is known.', examples: ['Ana Silva'] })),
  assigned_at: Nullable(Instant('Since when.')),
  redeemed_at_datetime: Nullable(RedeemedAt),
  redeemed_at_unit_id: Nullable(Id('The unit where it was redeemed.')),
  redeemed_at_unit_name: ContactCode.properties.redeemed_at_unit_name,
  created_at: Instant('When it was made.'),
});
export type StaffCode = Static<typeof StaffCode>;

/** A code for staff in a list of several groups, for example on a contact. */
export const StaffContactCode = Type.Object({
  ...StaffCode.properties,
  unique_code_group_name: ContactCode.properties.unique_code_group_name,
});
export type StaffContactCode = Static<typeof StaffContactCode>;

/** The columns of an export. */
export const exportedColumns = [
  ...(['id', 'unique_code', 'status', 'contact_id', 'assigned_at'] as const),
  ...(['redeemed_at_datetime', 'redeemed_at_unit_id', 'created_at'] as const),
] as const satisfies (keyof StaffCode)[];

export const CodeGroup = Type.Object({
  id: Id('Unique code group id'),
  ...NewCodeGroup.properties,
  created_at: Instant('When it was made.'),
});
export type CodeGroup = Static<typeof CodeGroup>;

export const RenamedCodeGroup = Type.Pick(NewCodeGroup, ['name']);
export const ByUnit = Type.Object({ unit_id: Type.Optional(Id('Only those on this unit.')) });
export type ByUnit = Static<typeof ByUnit>;

/** The most codes imported or assigned in one request. */
export const maxImported = 10_000;
export const maxAssigned = 400;
/** The most codes generated in one request. */
export const maxGenerated = 1_000_000;

/** A request to generate or to import codes. */
export const NewCodes = Type.Object({
  count: Type.Optional(
    Type.Integer({ description: 'How many to generate.', minimum: 1, maximum: maxGenerated, examples: [5000] }),
  ),
  prefix: Type.Optional(
    Type.String({ description: 'What every generated code starts with.', maxLength: 64, examples: ['SUMMER-'] }),
  ),
  length: Type.Optional(
    Type.Integer({
      description: 'How many random characters follow the prefix; 10 unless given.',
      minimum: 4,
      maximum: 64,
      examples: [10],
    }),
  ),
  codes: Type.Optional(
    Type.Array(code, {
      description: 'Codes to import instead. Those that the group has already stay as they are.',
      minItems: 1,
      maxItems: maxImported,
      examples: [['SUMMER-7KQ', 'SUMMER-P2X']],
    }),
  ),
});
export type NewCodes = Static<typeof NewCodes>;

export const CodesCreated = Type.Object({ created: Type.Integer({ description: 'How many are new.', examples: [2] }) });

export const ListCodes = Type.Object({
  status: Type.Optional(Status),
  assigned: Type.Optional(Type.Boolean({ description: 'Only those that are assigned to somebody, or to nobody.' })),
  unique_code: Type.Optional(code),
});
export type ListCodes = Static<typeof ListCodes>;

export const AssignCode = Type.Object({
  unique_code_group_id: Id('The group that the code is in.'),
  unique_code: code,
  contact_id: Id('The contact to whom it is given.'),
});
export type AssignCode = Static<typeof AssignCode>;

export const UnassignCode = Type.Omit(AssignCode, ['contact_id']);
export type UnassignCode = Static<typeof UnassignCode>;

/** A request to assign a code to each of these contacts, or to the next contacts of a group. */
export const AssignFreeCodes = Type.Object({
  contact_ids: Type.Optional(
    Type.Array(Id('Contact id'), {
      description: 'Whoever has a code of this group already keeps that one.',
      minItems: 1,
      maxItems: maxAssigned,
      examples: [[42, 43]],
    }),
  ),
  group_id: Type.Optional(
    Id(
      `Instead of contacts, a group of them: the next ${maxAssigned} who have no code yet, as long as there are codes for all of them. Call again until \`remaining\` is 0.`,
    ),
  ),
});
export type AssignFreeCodes = Static<typeof AssignFreeCodes>;

export const AssignedCodes = Type.Object({
  assigned: Type.Integer({ description: 'How many were given a code by this call.', examples: [1] }),
  remaining: Type.Integer({ description: 'How many of the `group_id` still have none.', minimum: 0, examples: [0] }),
  data: Type.Array(StaffCode, { description: 'A code each, in the order of the contacts.' }),
});
export type AssignedCodes = Static<typeof AssignedCodes>;

export const SearchCodes = Type.Object({ unique_code: code });

export const ForStatistics = Type.Object({
  start_date: Type.Optional(Day('The first day that is told; the 90th before the last, unless given.')),
  end_date: Type.Optional(Day('The last day that is told; today, unless given.')),
});
export type ForStatistics = Static<typeof ForStatistics>;

const amount = (description: string) => Type.Integer({ description, minimum: 0, examples: [12] });

const totals = {
  made: amount('How many codes the group has.'),
  assigned: amount('How many of them are somebody’s.'),
  redeemed: amount('How many of them were redeemed.'),
};

/** A group with its counts. */
export const CountedCodeGroup = Type.Object({
  ...CodeGroup.properties,
  unit_name: Type.String({ description: 'What that unit is called.', examples: ['The Anchor'] }),
  ...totals,
});
export type CountedCodeGroup = Static<typeof CountedCodeGroup>;

export const Statistics = Type.Object({
  ...totals,
  by_unit: Type.Array(
    Type.Object({
      unit_id: Id('Unit id'),
      unit_name: Type.String({ examples: ['The Anchor'] }),
      redeemed: amount('How many were redeemed there.'),
    }),
    { description: 'Where they were redeemed, on any day; the unit with the most first.' },
  ),
  by_day: Type.Array(
    Type.Object({
      date: Day('A day on the account’s clock.'),
      made: amount('How many were made.'),
      assigned: amount('How many of those that are somebody’s were assigned.'),
      redeemed: amount('How many were redeemed.'),
      by_unit: Type.Array(Type.Object({ unit_id: Id('Unit id'), redeemed: amount('How many were redeemed there.') })),
    }),
    { description: 'The days of the range on which anything happened, in order.' },
  ),
});
export type Statistics = Static<typeof Statistics>;
