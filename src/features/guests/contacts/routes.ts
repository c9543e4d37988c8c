import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { contact, foundContact, staffContact } from './examples.ts';
import { findContactBy, listContacts, showContact, showStaffContact } from './read.ts';
import { Contact, FindContact, FoundContacts, ListContacts, SearchContacts, StaffContact } from './schema.ts';
import { searchContacts } from './search.ts';

const partner = { access: 'partner', tag: 'Contacts' } as const;
const staff = { access: 'admin', tag: 'Manage contacts' } as const;
const account = '/admin/v1/accounts/:account_id';

export const contactRoutes = [
  jsonRoute(
    {
      ...partner,
      method: 'GET',
      path: '/v1/contacts',
      operationId: 'findContact',
      summary: 'Find a contact',
      description: 'The owner of the e-mail; failing that, of the mobile. A 404 where there is none.',
      input: FindContact,
      answer: Contact,
      notFound: 'There is no such contact.',
      example: { input: { email: 'ana.silva@gmail.com' }, answer: contact },
    },
    (tx, { accountId, input, root }) => findContactBy(tx, accountId, input, root),
  ),
  jsonRoute(
    {
      ...partner,
      method: 'GET',
      path: '/v1/contact/:contact_id',
      operationId: 'getContact',
      summary: 'Read a contact',
      description: 'The full contact object. An id that was merged into another contact leads to that one.',
      input: NoFields,
      answer: Contact,
      example: { answer: contact },
    },
    (tx, { accountId, ids, root }) => showContact(tx, accountId, ids.contact_id, root),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/contacts`,
      operationId: 'adminListContacts',
      summary: 'List contacts',
      description: 'By id. Those that were merged into another are not in it.',
      input: ListContacts,
      answer: StaffContact,
      example: { answer: staffContact },
    },
    (tx, { accountId, input, slice, root }) => listContacts(tx, accountId, input, slice, root),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/contacts/search`,
      operationId: 'adminSearchContacts',
      summary: 'Search contacts',
      description:
        'As somebody types. Without a search: the newest first. Those that were merged into another are not in it; what they were known by leads to that one.',
      input: SearchContacts,
      answer: FoundContacts,
      example: {
        answer: {
          data: [foundContact],
          page: 1,
          more: false,
        },
      },
    },
    (tx, { accountId, input }) => searchContacts(tx, accountId, input),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/contacts/:contact_id`,
      operationId: 'adminGetContact',
      summary: 'Show a contact',
      input: NoFields,
      answer: StaffContact,
      example: { answer: staffContact },
    },
    (tx, { accountId, ids, root }) => showStaffContact(tx, accountId, ids.contact_id, root),
  ),
];
