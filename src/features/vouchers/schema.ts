import Type, { type Static } from 'typebox';
import { codeStatuses } from '../../shared/codes.ts';
import { Id, Instant, Nullable, WallClock } from '../../shared/fields.ts';

/*
 * A voucher is a unique code in a unique code group. The case of A to Z and surrounding spaces are ignored, because
 * codes are read from a phone and typed at a till.
 */
export const codeKey = (code: string) => code.replace(/[a-z]/g, (letter) => letter.toUpperCase());

const code = Type.String({
  description: 'The code. The case of A to Z and surrounding spaces do not matter. Leading zeros do.',
  minLength: 1,
  maxLength: 255,
  examples: ['SUMMER-7KQ'],
});
const at = {
  unique_code_group_id: Type.Optional(Id('The group of the code. Required if several groups have the code.')),
  unique_code: code,
};
const Status = Type.Enum(codeStatuses, { description: '`Active` or `Redeemed`.' });
const RedeemedAt = Type.String({
  description: 'The time of the redemption, in UTC.',
  format: 'date-time',
  examples: ['2026-03-01T12:30:00.000000Z'],
});

export const Redeem = Type.Object(
  {
    unit_id: Id('The unit of the redemption.'),
    ...at,
    redemption_date: Type.Optional(WallClock('The time of the redemption. The default is the time of the request.')),
  },
  { title: 'UniqueCodeRedeem' },
);
export type Redeem = Static<typeof Redeem>;

export const FindCode = Type.Object(at);
export type FindCode = Static<typeof FindCode>;

const codeFields = {
  id: Id('The id of the code.'),
  unique_code: code,
  unique_code_group_id: Type.String({ description: 'The id of the unique code group.', examples: ['8'] }),
  contact_id: Type.String({ description: 'The contact of the code. Empty if it is not assigned.', examples: ['42'] }),
};

export const RedeemedCode = Type.Object(
  {
    ...codeFields,
    redeemed_at_unit_id: Id('The unit of the redemption.'),
    redeemed_at_datetime: RedeemedAt,
    unique_code_status: Type.Enum(['Redeemed'], { description: 'Always `Redeemed`.' }),
  },
  { title: 'RedeemedUniqueCode' },
);
export type RedeemedCode = Static<typeof RedeemedCode>;

/** The same object for a code that may not be redeemed yet. */
export const CheckedCode = Type.Object(
  {
    ...codeFields,
    redeemed_at_unit_id: Nullable(Id('The unit of the redemption. Null if the code is not redeemed.')),
    redeemed_at_datetime: Nullable(RedeemedAt),
    unique_code_status: Status,
  },
  { title: 'UniqueCode' },
);
export type CheckedCode = Static<typeof CheckedCode>;

/** A code in the list of its contact. */
export const ContactCode = Type.Object(
  {
    ...CheckedCode.properties,
    unique_code_group_name: Type.String({
      description: 'The name of the unique code group.',
      examples: ['Summer vouchers'],
    }),
    redeemed_at_unit_name: Nullable(
      Type.String({ description: 'The name of the unit of the redemption.', examples: ['The Anchor'] }),
    ),
  },
  { title: 'ContactUniqueCode' },
);
export type ContactCode = Static<typeof ContactCode>;

/** A code for staff, with the names of its contact and unit. */
export const StaffCode = Type.Object(
  {
    id: Id('The id of the code.'),
    unique_code: code,
    unique_code_group_id: Id('The id of the unique code group.'),
    status: Status,
    contact_id: Nullable(Id('The contact of the code. Null if it is not assigned.')),
    contact_name: Nullable(Type.String({ description: 'The name of the contact.', examples: ['Ana Silva'] })),
    assigned_at: Nullable(Instant('The time of the assignment.')),
    redeemed_at_datetime: Nullable(RedeemedAt),
    redeemed_at_unit_id: Nullable(Id('The unit of the redemption.')),
    redeemed_at_unit_name: ContactCode.properties.redeemed_at_unit_name,
    created_at: Instant('The time of creation.'),
  },
  { title: 'StaffUniqueCode' },
);
export type StaffCode = Static<typeof StaffCode>;

/** A code for staff in a list with codes of several groups, with the name of its group. */
export const StaffContactCode = Type.Object(
  {
    ...StaffCode.properties,
    unique_code_group_name: ContactCode.properties.unique_code_group_name,
  },
  { title: 'StaffContactUniqueCode' },
);
export type StaffContactCode = Static<typeof StaffContactCode>;

/** The columns of an export. */
export const exportedColumns = [
  ...(['id', 'unique_code', 'status', 'contact_id', 'assigned_at'] as const),
  ...(['redeemed_at_datetime', 'redeemed_at_unit_id', 'created_at'] as const),
] as const satisfies (keyof StaffCode)[];

/** The maximum of one request: codes to import, and contacts to assign codes to. */
export const maxImported = 10_000;
export const maxAssigned = 400;
/** The maximum of codes that one request generates. */
export const maxGenerated = 1_000_000;

/** Codes to generate or to import. */
export const NewCodes = Type.Object(
  {
    count: Type.Optional(
      Type.Integer({
        description: 'The number of codes to generate.',
        minimum: 1,
        maximum: maxGenerated,
        examples: [5000],
      }),
    ),
    prefix: Type.Optional(
      Type.String({ description: 'The start of every generated code.', maxLength: 64, examples: ['SUMMER-'] }),
    ),
    length: Type.Optional(
      Type.Integer({
        description: 'The number of random characters after the prefix. The default is 10.',
        minimum: 4,
        maximum: 64,
        examples: [10],
      }),
    ),
    codes: Type.Optional(
      Type.Array(code, {
        description: 'The codes to import, instead of `count`. Codes that the group already has are skipped.',
        minItems: 1,
        maxItems: maxImported,
        examples: [['SUMMER-7KQ', 'SUMMER-P2X']],
      }),
    ),
  },
  { title: 'UniqueCodesCreate' },
);
export type NewCodes = Static<typeof NewCodes>;

export const CodesCreated = Type.Object(
  { created: Type.Integer({ description: 'The number of new codes.', examples: [2] }) },
  { title: 'CreatedUniqueCodes' },
);

export const ListCodes = Type.Object({
  status: Type.Optional(Status),
  assigned: Type.Optional(
    Type.Boolean({ description: 'True: only assigned codes. False: only codes that are not assigned.' }),
  ),
  unique_code: Type.Optional(code),
});
export type ListCodes = Static<typeof ListCodes>;

export const AssignCode = Type.Object(
  {
    unique_code_group_id: Id('The group of the code.'),
    unique_code: code,
    contact_id: Id('The contact that gets the code.'),
  },
  { title: 'UniqueCodeAssign' },
);
export type AssignCode = Static<typeof AssignCode>;

export const UnassignCode = Type.Omit(AssignCode, ['contact_id'], { title: 'UniqueCodeUnassign' });
export type UnassignCode = Static<typeof UnassignCode>;

/** Assigns a code of the group to each of these contacts, or to the next contacts of a group of contacts. */
export const AssignFreeCodes = Type.Object(
  {
    contact_ids: Type.Optional(
      Type.Array(Id('The id of a contact.'), {
        description: 'The contacts. A contact that already has a code of this group keeps it.',
        minItems: 1,
        maxItems: maxAssigned,
        examples: [[42, 43]],
      }),
    ),
    group_id: Type.Optional(
      Id(
        `A group of contacts, instead of \`contact_ids\`. The next ${maxAssigned} contacts without a code get one, if there are enough codes for all. Repeat the request until \`remaining\` is 0.`,
      ),
    ),
  },
  { title: 'UniqueCodesAssign' },
);
export type AssignFreeCodes = Static<typeof AssignFreeCodes>;

export const AssignedCodes = Type.Object(
  {
    assigned: Type.Integer({ description: 'The number of contacts that got a code by this request.', examples: [1] }),
    remaining: Type.Integer({
      description: 'The number of contacts of `group_id` that still have no code.',
      minimum: 0,
      examples: [0],
    }),
    data: Type.Array(StaffCode, { description: 'The code of each contact, in the order of the contacts.' }),
  },
  { title: 'AssignedUniqueCodes' },
);
export type AssignedCodes = Static<typeof AssignedCodes>;

export const SearchCodes = Type.Object({ unique_code: code });
