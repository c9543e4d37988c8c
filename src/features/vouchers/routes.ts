import { batchedWrite, jsonRoute, listRoute } from '../../platform/http/route.ts';
import { iso } from '../../shared/clock.ts';
import { NoFields } from '../../shared/fields.ts';
import { listContactCodes } from './codes.ts';
import { active, exampleCode, redeemed } from './examples.ts';
import { CodeGroupId, PartnerCodeGroup } from './group-schema.ts';
import { createCodeGroup, groupErrors } from './manage.ts';
import { checkCode, checkErrors, redeemCodes, redeemFast } from './redeem.ts';
import { CheckedCode, ContactCode, FindCode, Redeem, RedeemedCode } from './schema.ts';

const partner = { access: 'partner', tag: 'Unique codes' } as const;

/** The routes of partners. */
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
];
