import { batchedWrite, jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { formatUtc } from '../../../shared/clock.ts';
import { NoFields } from '../../../shared/fields.ts';
import { explainPurchase } from './explain.ts';
import { countWaitingPurchases, listPurchases, listWaiting, showPurchase, waitingErrors } from './read.ts';
import {
  AnonymousPurchases,
  CountWaiting,
  Explanation,
  ListWaiting,
  Purchase,
  PurchasesStored,
  popExample,
  StaffPurchase,
  Waiting,
} from './schema.ts';
import { preparePurchases, weighPurchases, writePurchases } from './write.ts';

const purchase = {
  ...popExample,
  transaction_lines: popExample.transaction_lines.map((line) => ({ ...line, tags: ['drinks'] })),
  matched_by: 'table_number' as const,
};

const staffPurchase = {
  ...purchase,
  booking_reference: null,
  unique_code: null,
  membership_number: null,
  card_reference: null,
  table_number: '12',
  unique_code_group_id: null,
  matched_at: '2026-03-01T20:05:02.000Z',
};
const waitingPurchase = { ...staffPurchase, contact_id: null, matched_by: null, matched_at: null };

const account = '/admin/v1/accounts/:account_id';
const staff = { access: 'admin', tag: 'Manage purchases' } as const;

export const purchaseRoutes = [
  batchedWrite(
    {
      method: 'POST',
      path: '/v1/purchases',
      access: 'partner',
      account: 'required',
      tag: 'Purchases',
      operationId: 'addPurchases',
      summary: 'Add anonymous purchases',
      description:
        'Stores purchases without a contact and matches them by the first key that leads to one: booking reference, unique code, membership number, card, table. At least one key is required. A purchase without a match is stored and matched as soon as the missing data arrives; sent again, it is updated.',
      input: AnonymousPurchases,
      response: PurchasesStored,
      example: {
        input: {
          account_id: 1,
          table_number: '12',
          provider_id: 12,
          purchases: [
            {
              transaction_reference: 'T-88123',
              unit_id: 1,
              created_at: '2026-03-01 20:05:00',
              order_type_id: 4,
              items: [{ description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5, tags: ['drinks'] }],
            },
          ],
        },
        response: {
          purchases: [{ id: 9, transaction_reference: 'T-88123', contact_id: 42, matched_by: 'table_number' }],
        },
      },
    },
    {
      prepare: (read, { receivedAt }) => preparePurchases(read, formatUtc(receivedAt)),
      weigh: weighPurchases,
      write: writePurchases,
      response: (done) => done,
      contactOf: ({ purchases }) => purchases.find(({ contact_id }) => contact_id !== null)?.contact_id ?? null,
      outcomes: ({ purchases }) =>
        purchases.map(({ contact_id, matched_by }) => {
          if (contact_id === null) return 'purchase_waiting';
          return matched_by === null ? 'purchase_known' : `purchase_matched_by_${matched_by}`;
        }),
    },
  ),
  listRoute(
    {
      method: 'GET',
      path: '/v1/contact/:contact_id/purchases',
      access: 'partner',
      tag: 'Contacts',
      operationId: 'listContactPurchases',
      summary: 'List a contact’s purchases',
      description: 'Newest first. The id of a merged contact returns the purchases of the survivor.',
      input: NoFields,
      response: Purchase,
      example: { response: purchase },
    },
    (tx, { accountId, ids, slice }) => listPurchases(tx, accountId, ids.contact_id, slice),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/purchases/waiting`,
      operationId: 'adminListWaitingPurchases',
      summary: 'List waiting purchases',
      description: 'Lists the purchases that no contact is matched to yet, newest first.',
      input: ListWaiting,
      alsoCheck: (tx, { accountId, input }) => waitingErrors(tx, accountId, input),
      response: StaffPurchase,
      example: { response: waitingPurchase },
    },
    (tx, { accountId, input, slice }) => listWaiting(tx, accountId, input, slice),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/purchases/waiting/counts`,
      operationId: 'adminCountWaitingPurchases',
      summary: 'Count waiting purchases',
      description: 'Returns the number of purchases without a contact, in total and by key.',
      input: CountWaiting,
      alsoCheck: (tx, { accountId, input }) => waitingErrors(tx, accountId, input),
      response: Waiting,
      example: {
        response: {
          waiting: 3,
          waiting_for: {
            booking_reference: 1,
            unique_code: 0,
            membership_number: 1,
            card_reference: 0,
            table_number: 2,
          },
        },
      },
    },
    (tx, { accountId, input }) => countWaitingPurchases(tx, accountId, input),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/purchases/:purchase_id`,
      operationId: 'adminGetPurchase',
      summary: 'Show a purchase',
      description: 'Returns the purchase with its keys. Returns 404 if there is no such purchase.',
      input: NoFields,
      response: StaffPurchase,
      example: { response: staffPurchase },
    },
    (tx, { accountId, ids }) => showPurchase(tx, accountId, ids.purchase_id),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/purchases/:purchase_id/explanation`,
      operationId: 'adminExplainPurchase',
      summary: 'Explain how a purchase was matched',
      description:
        'Shows why a purchase has its contact or none: the key that was used, where each key leads, and the bookings of the unit around that time with the reasons against each.',
      input: NoFields,
      response: Explanation,
      example: {
        response: {
          purchase: staffPurchase,
          summary: 'Matched to contact 42 by its table number.',
          keys: [
            {
              key: 'table_number',
              value: '12',
              outcome: 'matched',
              reason: 'It leads to contact 42.',
              contact_id: 42,
            },
          ],
          candidates: [
            {
              booking_id: 7,
              booking_reference: 'B-1042',
              contact_id: 42,
              party_datetime: '2026-03-01 19:30:00',
              table_numbers: ['12'],
              chosen: true,
              turned_down: [],
            },
            {
              booking_id: 8,
              booking_reference: 'B-1043',
              contact_id: 57,
              party_datetime: '2026-03-01 19:45:00',
              table_numbers: ['14'],
              chosen: false,
              turned_down: ['It is at another table.'],
            },
          ],
        },
      },
    },
    (tx, { accountId, ids }) => explainPurchase(tx, accountId, ids.purchase_id),
  ),
];
