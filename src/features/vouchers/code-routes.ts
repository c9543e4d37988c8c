import { jsonRoute, listRoute } from '../../platform/http/route.ts';
import { NoFields } from '../../shared/fields.ts';
import { assignCode, assignmentErrors, unassignCode } from './assign.ts';
import { listStaffContactCodes, searchCodes } from './codes.ts';
import { exampleCode, staffCode } from './examples.ts';
import { AssignCode, SearchCodes, StaffCode, StaffContactCode, UnassignCode } from './schema.ts';

const account = '/admin/v1/accounts/:account_id';
const staff = { access: 'admin', tag: 'Manage unique codes' } as const;

/** The routes of staff for single codes. */
export const voucherCodeRoutes = [
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
