import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { listConsent, listStaffConsent } from './read.ts';
import { recordConsent } from './record.ts';
import { ConsentEntry, ConsentFlags, RecordConsent, StaffConsentEntry } from './schema.ts';

const entry = {
  id: 12,
  contact_id: 42,
  channel: 'email',
  from: false,
  to: true,
  applied: true,
  rule: null,
  source_id: 3,
  token_id: 1,
  at: '2026-03-01T12:30:00.000Z',
} as const;
const staff = { access: 'admin', tag: 'Manage contacts' } as const;
const path = '/admin/v1/accounts/:account_id/contacts/:contact_id/consent';

export const consentRoutes = [
  listRoute(
    {
      method: 'GET',
      path: '/v1/contact/:contact_id/consent',
      access: 'partner',
      tag: 'Contacts',
      operationId: 'getContactConsent',
      summary: 'Read a contact’s consent ledger',
      description:
        'Every change of consent, and every change that a rule held back, newest first. Nothing in it is ever changed.',
      input: NoFields,
      response: ConsentEntry,
      example: { response: entry },
    },
    (tx, { accountId, ids, slice }) => listConsent(tx, accountId, ids.contact_id, slice),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path,
      operationId: 'adminGetContactConsent',
      summary: 'Show a contact’s consent ledger',
      description: 'Newest first, with who made each change and why.',
      input: NoFields,
      response: StaffConsentEntry,
      example: { response: { ...entry, source_name: 'Guest wifi', token_name: 'Till', actor: null, reason: null } },
    },
    (tx, { accountId, ids, slice }) => listStaffConsent(tx, accountId, ids.contact_id, slice),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path,
      operationId: 'adminRecordConsent',
      action: 'consent.record',
      summary: 'Record what a guest asked for',
      description:
        'Gives or takes back consents for a guest who asked the staff. At least one flag; those left out stay.',
      input: RecordConsent,
      response: ConsentFlags,
      example: {
        input: { allow_sms: false, reason: 'Asked at the bar to get no more texts.' },
        response: { allow_email: true, allow_sms: false, allow_call: false, allow_snail_mail: false },
      },
    },
    (tx, { accountId, ids, input, actor }) => recordConsent(tx, accountId, ids.contact_id, input, actor),
  ),
];
