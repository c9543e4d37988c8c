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
  PartnerCodeGroup,
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

const partner = { access: 'partner', tag: 'Unique codes' } as const;
const account = '/admin/v1/accounts/:account_id';
const group = `${account}/unique_code_groups/:unique_code_group_id` as const;
const staff = { access: 'admin', tag: 'Manage unique codes' } as const;

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
const exampleCode = { unique_code_group_id: 8, unique_code: 'SUMMER-7KQ' };

export const voucherRoutes = [
  jsonRoute(
    {
      ...partner,
      method: 'POST',
      path: '/v1/unique_code/group',
      account: 'required',
      operationId: 'createUniqueCodeGroup',
      summary: 'Create a unique code group',
      description:
        'Creates the container for the unique codes of one campaign. Staff add the codes. A name that another group of the unit has returns 422.',
      input: PartnerCodeGroup,
      alsoCheck: (tx, { accountId, input }) => groupErrors(tx, accountId, input),
      response: CodeGroupId,
      example: { input: { account_id: 1, unit_id: 1, name: 'Summer vouchers' }, response: { id: 8 } },
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
      summary: 'Redeem a unique code',
      description:
        'Redeems a code once. Exactly one request returns 200, also with concurrent requests and retries. Every other one returns 422 on `unique_code`, with the time and unit of the redemption; so does an unknown code.',
      input: Redeem,
      response: RedeemedCode,
      example: {
        input: { account_id: 1, unit_id: 1, ...exampleCode, redemption_date: '2026-03-01 12:30:00' },
        response: redeemed,
      },
    },
    {
      prepare: ({ partial, errors }, { receivedAt }) => ({
        input: partial,
        errors: errors.fields,
        receivedAt: iso(receivedAt.getTime()),
      }),
      weigh: () => 1,
      quick: redeemFast,
      write: redeemCodes,
      response: ({ code }) => code(),
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
      summary: 'Check a unique code',
      description:
        'Returns the status of a code, `Active` or `Redeemed`, with the time and unit of the redemption. An unknown code returns 422 on `unique_code`.',
      input: FindCode,
      alsoCheck: (tx, { accountId, input }) => checkErrors(tx, accountId, input),
      response: CheckedCode,
      example: { input: { account_id: 1, ...exampleCode }, response: active },
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
      summary: 'List a contact’s unique codes',
      description:
        'Lists the codes that are assigned to the contact, newest first. The id of a merged contact returns the codes of the survivor.',
      input: NoFields,
      response: ContactCode,
      example: {
        response: { ...redeemed, unique_code_group_name: 'Summer vouchers', redeemed_at_unit_name: 'The Anchor' },
      },
    },
    (tx, { accountId, ids, slice }) => listContactCodes(tx, accountId, ids.contact_id, slice),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/unique_code_groups/statistics`,
      operationId: 'adminListUniqueCodeGroupCounts',
      summary: 'List unique code groups with counts',
      description:
        'Lists the unique code groups, newest first, with the number of created, assigned and redeemed codes.',
      input: ByUnit,
      response: CountedCodeGroup,
      example: {
        response: { ...codeGroup, unit_name: 'Harbour Group', made: 5000, assigned: 1200, redeemed: 340 },
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
      response: CodeGroup,
      filter: ByUnit,
      example: {
        create: { unit_id: 1, name: 'Summer vouchers' },
        change: { name: 'Summer vouchers' },
        response: codeGroup,
      },
      notes: {
        create: 'A name that another group of the unit has returns 422.',
        list: 'Newest first.',
        remove: 'Also deletes the codes of the group. A group with assigned or redeemed codes cannot be deleted (422).',
      },
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
      summary: 'Generate or import unique codes',
      description:
        'Send `count` to generate codes (at most 1,000,000), or `codes` to import your own (at most 10,000). All codes are stored or none. With `Accept: application/x-ndjson` the response has lines of `{"done", "of"}`, and the result as the last line.',
      isLong: ({ count = 0 }) => count > fewCodes,
      input: NewCodes,
      alsoCheck: async (_, { input }) => lengthError(input),
      response: CodesCreated,
      status: 201,
      example: { input: { count: 5000, prefix: 'SUMMER-', length: 10 }, response: { created: 5000 } },
    },
    async (tx, call) => {
      const made = await addCodes(tx, call.accountId, call.ids.unique_code_group_id, call.input, call);
      call.setSubject(
        `${made.created} in ${(await showCodeGroup(tx, call.accountId, call.ids.unique_code_group_id)).name}`,
      );
      return made;
    },
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${group}/codes`,
      operationId: 'adminListCodes',
      summary: 'List the unique codes of a group',
      description: 'Sorted by id. With `Accept: text/csv` or `format=csv` the response is one CSV file with all codes.',
      input: ListCodes,
      response: StaffCode,
      example: { response: staffCode },
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
      summary: 'Assign unique codes to many contacts',
      description:
        'Assigns the next free codes of the group, one to each contact. A contact that already has a code of the group keeps it, so the request can be repeated. If there are too few codes, none is assigned (422).',
      input: AssignFreeCodes,
      alsoCheck: (tx, { accountId, input }) => contactErrors(tx, accountId, input.contact_ids ?? []),
      response: AssignedCodes,
      example: { input: { contact_ids: [42] }, response: { assigned: 1, remaining: 0, data: [staffCode] } },
    },
    async (tx, { accountId, ids, input, count, setSubject }) => {
      const given = await assignFreeCodes(tx, accountId, ids.unique_code_group_id, input, count);
      setSubject(`${given.assigned} of ${(await showCodeGroup(tx, accountId, ids.unique_code_group_id)).name}`);
      return given;
    },
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${group}/statistics`,
      operationId: 'adminGetUniqueCodeStatistics',
      summary: 'Show the statistics of a unique code group',
      description:
        'Returns the number of created, assigned and redeemed codes: in total, by unit and by day in the account’s time zone.',
      input: ForStatistics,
      response: Statistics,
      example: {
        response: {
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
      operationId: 'adminFindCodes',
      summary: 'Find a unique code',
      description: 'Finds a code in all groups of the account. Without a match the list is empty.',
      input: SearchCodes,
      response: StaffContactCode,
      example: { response: { ...staffCode, unique_code_group_name: 'Summer vouchers' } },
    },
    (tx, { accountId, input, slice }) => searchCodes(tx, accountId, input.unique_code, slice),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/contacts/:contact_id/unique_codes`,
      operationId: 'adminListContactCodes',
      summary: 'List a contact’s unique codes with names',
      description: 'Lists the codes that are assigned to the contact or to one that was merged into it, newest first.',
      input: NoFields,
      response: StaffContactCode,
      example: {
        response: { ...staffCode, unique_code_group_name: 'Summer vouchers' },
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
      summary: 'Assign a unique code',
      description:
        'Assigns the code to a contact. Waiting purchases with this code are matched in the same transaction. A code of another contact must be unassigned first (422).',
      input: AssignCode,
      alsoCheck: (tx, { accountId, input }) => assignmentErrors(tx, accountId, input),
      response: StaffCode,
      example: { input: { ...exampleCode, contact_id: 42 }, response: staffCode },
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
      summary: 'Unassign a unique code',
      description:
        'Removes the contact from a code. A redeemed code returns 422. Purchases that were matched by the code keep their contact.',
      input: UnassignCode,
      alsoCheck: (tx, { accountId, input }) => assignmentErrors(tx, accountId, input),
      response: StaffCode,
      example: {
        input: exampleCode,
        response: { ...staffCode, contact_id: null, contact_name: null, assigned_at: null },
      },
    },
    (tx, { accountId, input }) => unassignCode(tx, accountId, input),
  ),
];
