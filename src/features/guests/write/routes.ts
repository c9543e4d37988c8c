import { batchedWrite } from '../../../platform/http/route.ts';
import { contact } from '../contacts/examples.ts';
import { contactObject } from '../contacts/view.ts';
import { dropsInvalid, prepareContact, weighContact } from './command.ts';
import { ContactWrite, ContactWritten } from './schema.ts';
import { writeContacts } from './write.ts';

export const contactWriteRoutes = [
  batchedWrite(
    {
      access: 'partner',
      tag: 'Contacts',
      method: 'POST',
      path: '/v1/contact',
      operationId: 'writeContact',
      summary: 'Write a contact',
      description:
        'Creates a contact, or updates the one with this e-mail or mobile number. One of the two is required. Fields that are not sent do not change; notes, feedback and wifi interactions are added. An invalid value returns 422, unless the rule `discard_invalid_data` is sent.',
      input: ContactWrite,
      response: ContactWritten,
      example: {
        input: {
          email: 'ana.silva@gmail.com',
          mobile_number: '07700 900123',
          first_name: 'Ana',
          last_name: 'Silva',
          source_name: 'Guest wifi',
          allow_email: true,
          notes: [{ text: 'Prefers the window table.' }],
          bookings: [{ booking_reference: 'B-1042', party_datetime: '2026-03-01 19:30:00', table_numbers: ['12'] }],
          purchases: [
            {
              transaction_reference: 'T-88122',
              created_at: '2026-03-01 20:00:00',
              items: [{ description: 'Pale ale', quantity: 2, value: 11.5 }],
            },
          ],
          rules: [{ rule_name: 'preserve_consent' }],
        },
        response: contact,
      },
    },
    {
      prepare: (read, { tokenId, receivedAt }, services) =>
        prepareContact(read, { tokenId, receivedAt }, services.takesMail),
      dropsInvalid,
      weigh: weighContact,
      write: writeContacts,
      response: ({ id, contact }, { baseUrl }) =>
        contact ? contactObject(contact.row, contact.parts, baseUrl) : { id },
      contactOf: ({ id }) => id,
      discarded: ({ discarded }) => discarded,
      outcomes: ({ outcomes }) => outcomes,
    },
  ),
];
