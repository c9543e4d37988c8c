import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { contact, foundContact, staffContact } from './examples.ts';
import { listContacts, lookForContact, showContact, showStaffContact } from './read.ts';
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
      description:
        'Finds a contact by e-mail or, if no contact has it, by mobile number. One of the two is required. Returns 404 if there is no such contact.',
      input: FindContact,
      answer: Contact,
      notFound: 'There is no such contact.',
      example: { input: { email: 'ana.silva@gmail.com' }, answer: contact },
    },
    (tx, { accountId, input, root }) => lookForContact(tx, accountId, input, root),
  ),
  jsonRoute(
    {
      ...partner,
      method: 'GET',
      path: '/v1/contact/:contact_id',
      operationId: 'getContact',
      summary: 'Show a contact',
      description:
        'Returns the full contact object. The id of a merged contact returns the survivor. Returns 404 if there is no such contact.',
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
      description: 'Sorted by id. Merged contacts are not listed.',
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
        'Searches while a user types. Without `search`, the newest contacts come first. Merged contacts are not returned, but their values find the survivor.',
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
      summary: 'Show a contact with staff fields',
      description: 'The id of a merged contact returns the survivor. Returns 404 if there is no such contact.',
      input: NoFields,
      answer: StaffContact,
      example: { answer: staffContact },
    },
    (tx, { accountId, ids, root }) => showStaffContact(tx, accountId, ids.contact_id, root),
  ),
];
