import { crudRoutes } from '../../platform/http/crud-routes.ts';
import { jsonRoute, listRoute } from '../../platform/http/route.ts';
import { assignFreeCodes, contactErrors } from './assign.ts';
import { addCodes, lengthError, listCodes, nextCodes } from './codes.ts';
import { codeGroup, staffCode } from './examples.ts';
import {
  ByUnit,
  CodeGroup,
  CountedCodeGroup,
  ForStatistics,
  NewCodeGroup,
  RenamedCodeGroup,
  Statistics,
} from './group-schema.ts';
import {
  changeCodeGroup,
  createCodeGroup,
  listCodeGroups,
  listCountedCodeGroups,
  removeCodeGroup,
  showCodeGroup,
} from './manage.ts';
import {
  AssignedCodes,
  AssignFreeCodes,
  CodesCreated,
  exportedColumns,
  ListCodes,
  NewCodes,
  StaffCode,
} from './schema.ts';
import { codeStatistics } from './statistics.ts';

const account = '/admin/v1/accounts/:account_id';
const group = `${account}/unique_code_groups/:unique_code_group_id` as const;
const staff = { access: 'admin', tag: 'Manage unique codes' } as const;

/** A request that generates more codes is long. */
const fewCodes = 10_000;

/** The routes of staff for groups and all codes of a group. */
export const voucherGroupRoutes = [
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
];
