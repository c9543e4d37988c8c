import { answers } from '../http/operation.ts';
import { addCodes, assignCode, createCodeGroup } from './manage.ts';
import { AssignCode, CodeGroupId, CodesCreated, NewCodeGroup, NewCodes, UniqueCode } from './schema.ts';

const account = '/admin/v1/accounts/:account_id';
const staff = { access: 'admin', tag: 'Manage vouchers' } as const;

export const voucherRoutes = [
  answers(
    {
      method: 'POST',
      path: '/v1/unique_code/group',
      access: 'partner',
      account: 'required',
      tag: 'Vouchers',
      summary: 'Create a unique code group',
      description: 'A container for the voucher codes of one campaign. Codes are put into it by staff.',
      input: NewCodeGroup,
      answer: CodeGroupId,
      example: { input: { account_id: 1, unit_id: 1, name: 'Summer vouchers' }, answer: { id: 8 } },
    },
    (tx, { accountId, input }) => createCodeGroup(tx, accountId, input),
  ),
  answers(
    {
      ...staff,
      method: 'POST',
      path: `${account}/unique_code_groups/:unique_code_group_id/codes`,
      summary: 'Add voucher codes',
      input: NewCodes,
      answer: CodesCreated,
      status: 201,
      example: { input: { codes: ['SUMMER-7KQ', 'SUMMER-P2X'] }, answer: { created: 2 } },
    },
    (tx, { accountId, ids, input }) => addCodes(tx, accountId, ids.unique_code_group_id, input),
  ),
  answers(
    {
      ...staff,
      method: 'POST',
      path: `${account}/unique_codes/assign`,
      summary: 'Assign a voucher code',
      description: 'Gives the code to a contact. Purchases that were waiting for that become the contact’s.',
      input: AssignCode,
      answer: UniqueCode,
      example: {
        input: { unique_code_group_id: 8, unique_code: 'SUMMER-7KQ', contact_id: 42 },
        answer: { id: 31, unique_code: 'SUMMER-7KQ', unique_code_group_id: 8, contact_id: 42 },
      },
    },
    (tx, { accountId, input, count }) => assignCode(tx, accountId, input, count),
  ),
];
