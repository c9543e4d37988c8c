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
      operationId: 'listContactConsent',
      summary: 'List a contact’s consent ledger',
      description:
        'Lists every change of consent, and every change that a rule prevented, newest first. Entries are never changed. Includes the entries of contacts that were merged into this one.',
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
      operationId: 'adminListContactConsent',
      summary: 'List a contact’s consent ledger with actors',
      description: 'Lists the consent ledger, newest first, with the user and the reason of each change.',
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
      summary: 'Record a consent',
      description:
        'Gives or withdraws consents for a guest who asked the staff. At least one flag is required. Flags that are not sent do not change.',
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
