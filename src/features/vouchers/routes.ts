import { crudRoutes } from '../../platform/http/crud-routes.ts';
import { batchedWrite, jsonRoute, listRoute } from '../../platform/http/route.ts';
import { iso } from '../../shared/clock.ts';
import { NoFields } from '../../shared/fields.ts';
import { assignCode, assignFreeCodes, assignmentErrors, contactErrors, unassignCode } from './assign.ts';
import {
  addCodes,
  lengthError,
  listCodes,
  listContactCodes,
  listStaffContactCodes,
  nextCodes,
  searchCodes,
} from './codes.ts';
import {
  changeCodeGroup,
  createCodeGroup,
  groupErrors,
  listCodeGroups,
  listCountedCodeGroups,
  removeCodeGroup,
  showCodeGroup,
} from './manage.ts';
import { checkCode, checkErrors, redeemCodes, redeemFast } from './redeem.ts';
import {
  AssignCode,
  AssignedCodes,
  AssignFreeCodes,
  ByUnit,
  CheckedCode,
  CodeGroup,
  CodeGroupId,
  CodesCreated,
  ContactCode,
  CountedCodeGroup,
  exportedColumns,
  FindCode,
  ForStatistics,
  ListCodes,
  NewCodeGroup,
  NewCodes,
  Redeem,
  RedeemedCode,
  RenamedCodeGroup,
  SearchCodes,
  StaffCode,
  StaffContactCode,
  Statistics,
  UnassignCode,
} from './schema.ts';
import { codeStatistics } from './statistics.ts';

const partner = { access: 'partner', tag: 'Vouchers' } as const;
const account = '/admin/v1/accounts/:account_id';
const group = `${account}/unique_code_groups/:unique_code_group_id` as const;
const staff = { access: 'admin', tag: 'Manage vouchers' } as const;

const code = { id: 31, unique_code: 'SUMMER-7KQ', unique_code_group_id: '8', contact_id: '42' };
const redeemed = {
  ...code,
  redeemed_at_unit_id: 1,
  redeemed_at_datetime: '2026-03-01T12:30:00.000000Z',
  unique_code_status: 'Redeemed' as const,
};
const active = {
  ...code,
  redeemed_at_unit_id: null,
  redeemed_at_datetime: null,
  unique_code_status: 'Active' as const,
};
const staffCode = {
  id: 31,
  unique_code: 'SUMMER-7KQ',
  unique_code_group_id: 8,
  status: 'Active' as const,
  contact_id: 42,
  contact_name: 'Ana Silva',
  assigned_at: '2026-02-20T09:00:00.000Z',
  redeemed_at_datetime: null,
  redeemed_at_unit_id: null,
  redeemed_at_unit_name: null,
  created_at: '2026-02-19T16:20:00.000Z',
};
/** The most groups in one response. */
const fewCodes = 10_000;

const codeGroup = { id: 8, unit_id: 1, name: 'Summer vouchers', created_at: '2026-02-19T16:20:00.000Z' };
const named = { unique_code_group_id: 8, unique_code: 'SUMMER-7KQ' };

export const voucherRoutes = [
  jsonRoute(
    {
      ...partner,
      method: 'POST',
      path: '/v1/unique_code/group',
      account: 'required',
      operationId: 'createUniqueCodeGroup',
      summary: 'Create a unique code group',
      description: 'A container for the voucher codes of one campaign. Codes are put into it by staff.',
      input: NewCodeGroup,
      besides: (tx, { accountId, input }) => groupErrors(tx, accountId, input),
      answer: CodeGroupId,
      example: { input: { account_id: 1, unit_id: 1, name: 'Summer vouchers' }, answer: { id: 8 } },
    },
    async (tx, { accountId, input }) => ({ id: (await createCodeGroup(tx, accountId, input)).id }),
  ),
  batchedWrite(
    {
      ...partner,
      method: 'POST',
      path: '/v1/unique_code/redeem',
      account: 'required',
      operationId: 'redeemCode',
      summary: 'Redeem a voucher code',
      description:
        'A code is redeemed once, whatever happens: one request is answered 200, and every other a 422 on `unique_code` that says when and where it was redeemed.',
      input: Redeem,
      answer: RedeemedCode,
      example: {
        input: { account_id: 1, unit_id: 1, ...named, redemption_date: '2026-03-01 12:30:00' },
        answer: redeemed,
      },
    },
    {
      prepare: ({ input, receivedAt }, errors) => ({
        input,
        errors: errors.fields,
        receivedAt: iso(receivedAt.getTime()),
      }),
      weigh: () => 1,
      quick: redeemFast,
      write: redeemCodes,
      answer: ({ code }) => code(),
      outcomes: ({ outcomes }) => outcomes,
    },
  ),
  jsonRoute(
    {
      ...partner,
      method: 'GET',
      path: '/v1/unique_code',
      account: 'required',
      operationId: 'checkCode',
      summary: 'Check a voucher code',
      description: 'Whether it is still `Active`, or `Redeemed`: when, and where.',
      input: FindCode,
      besides: (tx, { accountId, input }) => checkErrors(tx, accountId, input),
      answer: CheckedCode,
      example: { input: { account_id: 1, ...named }, answer: active },
    },
    (tx, { accountId, input }) => checkCode(tx, accountId, input),
  ),
  listRoute(
    {
      method: 'GET',
      path: '/v1/contact/:contact_id/unique_codes',
      access: 'partner',
      tag: 'Contacts',
      operationId: 'listContactCodes',
      summary: 'List a contact’s voucher codes',
      description:
        'Those that are assigned to it, the newest first. An id that was merged into another contact leads to that one.',
      input: NoFields,
      answer: ContactCode,
      example: {
        answer: { ...redeemed, unique_code_group_name: 'Summer vouchers', redeemed_at_unit_name: 'The Anchor' },
      },
    },
    (tx, { accountId, ids, slice }) => listContactCodes(tx, accountId, ids.contact_id, slice),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/unique_code_groups/statistics`,
      operationId: 'adminListUniqueCodeStatistics',
      summary: 'List what became of each group’s codes',
      description: 'The unique code groups, the newest first, each with how many codes it has and what became of them.',
      input: ByUnit,
      answer: CountedCodeGroup,
      example: {
        answer: { ...codeGroup, unit_name: 'Harbour Group', made: 5000, assigned: 1200, redeemed: 340 },
      },
    },
    (tx, { accountId, input, slice }) => listCountedCodeGroups(tx, accountId, input, slice),
  ),
  ...crudRoutes(
    {
      path: `${account}/unique_code_groups`,
      id: 'unique_code_group_id',
      kind: 'unique_code_group',
      noun: 'unique code group',
      plural: 'unique code groups',
      tag: staff.tag,
      create: NewCodeGroup,
      change: RenamedCodeGroup,
      answer: CodeGroup,
      filter: ByUnit,
      example: {
        create: { unit_id: 1, name: 'Summer vouchers' },
        change: { name: 'Summer vouchers' },
        answer: codeGroup,
      },
      notes: { remove: 'With its codes, as long as none of them was assigned or redeemed.' },
    },
    {
      create: (tx, { accountId, input }) => createCodeGroup(tx, accountId, input),
      list: (tx, { accountId, input, slice }) => listCodeGroups(tx, accountId, input, slice),
      show: (tx, { accountId }, id) => showCodeGroup(tx, accountId, id),
      change: (tx, { accountId, input }, id) => changeCodeGroup(tx, accountId, id, input.name),
      remove: (tx, { accountId }, id) => removeCodeGroup(tx, accountId, id),
    },
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${group}/codes`,
      operationId: 'adminCreateCodes',
      action: 'unique_code.create',
      summary: 'Generate or import voucher codes',
      description:
        'Either `count`: so many codes that can’t be guessed, of characters that can’t be mistaken for each other; or `codes`: your own. All of them, or none: a call that fails or is interrupted leaves nothing behind. With `Accept: application/x-ndjson` the answer is a line of `{"done", "of"}` now and then, and last the line that would have been the answer.',
      isLong: ({ count = 0 }) => count > fewCodes,
      input: NewCodes,
      besides: async (_, { input }) => lengthError(input),
      answer: CodesCreated,
      status: 201,
      example: { input: { count: 5000, prefix: 'SUMMER-', length: 10 }, answer: { created: 5000 } },
    },
    async (tx, call) => {
      const made = await addCodes(tx, call.accountId, call.ids.unique_code_group_id, call.input, call);
      call.about(`${made.created} in ${(await showCodeGroup(tx, call.accountId, call.ids.unique_code_group_id)).name}`);
      return made;
    },
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${group}/codes`,
      operationId: 'adminListCodes',
      summary: 'List voucher codes',
      description: 'With `Accept: text/csv` or `format=csv`, all of them in one file, which is streamed.',
      input: ListCodes,
      answer: StaffCode,
      example: { answer: staffCode },
      csv: {
        columns: exportedColumns,
        next: (tx, { accountId, ids, input }, after) =>
          nextCodes(tx, accountId, ids.unique_code_group_id, input, after),
      },
    },
    (tx, { accountId, ids, input, slice }) => listCodes(tx, accountId, ids.unique_code_group_id, input, slice),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${group}/assign`,
      operationId: 'adminAssignCodes',
      action: 'unique_code.assign_many',
      summary: 'Give contacts a voucher code each',
      description:
        'The next free codes of the group. Who has one of its codes already keeps that one, so the same call again changes nothing. Where there are too few, nobody gets one.',
      input: AssignFreeCodes,
      besides: (tx, { accountId, input }) => contactErrors(tx, accountId, input.contact_ids ?? []),
      answer: AssignedCodes,
      example: { input: { contact_ids: [42] }, answer: { assigned: 1, remaining: 0, data: [staffCode] } },
    },
    async (tx, { accountId, ids, input, count, about }) => {
      const given = await assignFreeCodes(tx, accountId, ids.unique_code_group_id, input, count);
      about(`${given.assigned} of ${(await showCodeGroup(tx, accountId, ids.unique_code_group_id)).name}`);
      return given;
    },
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${group}/statistics`,
      operationId: 'adminGetUniqueCodeStatistics',
      summary: 'Show what became of a group’s codes',
      description: 'In all, at which units, and day by day on the account’s clock.',
      input: ForStatistics,
      answer: Statistics,
      example: {
        answer: {
          ...{ made: 5000, assigned: 1200, redeemed: 1 },
          by_unit: [{ unit_id: 1, unit_name: 'The Anchor', redeemed: 1 }],
          by_day: [
            { date: '2026-02-19', made: 5000, assigned: 0, redeemed: 0, by_unit: [] },
            { date: '2026-03-01', made: 0, assigned: 0, redeemed: 1, by_unit: [{ unit_id: 1, redeemed: 1 }] },
          ],
        },
      },
    },
    (tx, { accountId, ids, input, receivedAt }) =>
      codeStatistics(tx, accountId, ids.unique_code_group_id, input, receivedAt),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/unique_codes`,
      operationId: 'adminFindCode',
      summary: 'Find a voucher code',
      description: 'In whatever groups it stands: whose it is, and whether it was redeemed.',
      input: SearchCodes,
      answer: StaffContactCode,
      example: { answer: { ...staffCode, unique_code_group_name: 'Summer vouchers' } },
    },
    (tx, { accountId, input, slice }) => searchCodes(tx, accountId, input.unique_code, slice),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/contacts/:contact_id/unique_codes`,
      operationId: 'adminListContactCodes',
      summary: 'List a contact’s codes',
      description: 'Those that are assigned to it, or to one that was merged into it; the newest first.',
      input: NoFields,
      answer: StaffContactCode,
      example: {
        answer: { ...staffCode, unique_code_group_name: 'Summer vouchers' },
      },
    },
    (tx, { accountId, ids, slice }) => listStaffContactCodes(tx, accountId, ids.contact_id, slice),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${account}/unique_codes/assign`,
      operationId: 'adminAssignCode',
      action: 'unique_code.assign',
      summary: 'Assign a voucher code',
      description:
        'Gives the code to a contact. Purchases that were waiting for that become the contact’s. A code that is somebody else’s must be unassigned first.',
      input: AssignCode,
      besides: (tx, { accountId, input }) => assignmentErrors(tx, accountId, input),
      answer: StaffCode,
      example: { input: { ...named, contact_id: 42 }, answer: staffCode },
    },
    (tx, { accountId, input, count }) => assignCode(tx, accountId, input, count),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${account}/unique_codes/unassign`,
      operationId: 'adminUnassignCode',
      action: 'unique_code.unassign',
      summary: 'Unassign a voucher code',
      description: 'Takes a code back that is not redeemed. Purchases that it led to stay whose they are.',
      input: UnassignCode,
      besides: (tx, { accountId, input }) => assignmentErrors(tx, accountId, input),
      answer: StaffCode,
      example: { input: named, answer: { ...staffCode, contact_id: null, contact_name: null, assigned_at: null } },
    },
    (tx, { accountId, input }) => unassignCode(tx, accountId, input),
  ),
];
