import { lists } from '../http/operation.ts';
import { NoFields } from '../shared/fields.ts';
import { listConsent } from './read.ts';
import { ConsentEntry } from './schema.ts';

export const consentRoutes = [
  lists(
    {
      method: 'GET',
      path: '/v1/contact/:contact_id/consent',
      access: 'partner',
      tag: 'Contacts',
      summary: 'Read a contact’s consent ledger',
      description:
        'Every change of consent, and every change that a rule held back, newest first. Nothing in it is ever changed.',
      input: NoFields,
      answer: ConsentEntry,
      example: {
        answer: {
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
        },
      },
    },
    (tx, { accountId, ids, slice }) => listConsent(tx, accountId, ids.contact_id, slice),
  ),
];
