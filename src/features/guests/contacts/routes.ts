import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { contact, foundContact, staffContact } from './examples.ts';
import { findContactBy, listContacts, showContact, showStaffContact } from './read.ts';
import { Contact, FindContact, FoundContacts, ListContacts, SearchContacts, StaffContact } from './schema.ts';
import { searchContacts } from './search.ts';

const partner = { access: 'partner', tag: 'Contacts' } as const;
const staff = { access: 'admin', tag: 'Manage contacts' } as const;
const account = '/admin/v1/accounts/:account_id';

/** The app adds the filter by a definition to it. */
export const contactSearchRoute = jsonRoute(
  {
    ...staff,
    method: 'GET',
    path: `${account}/contacts/search`,
    operationId: 'adminSearchContacts',
    mayBeStale: true,
    summary: 'Search contacts',
    description:
      'Searches while a user types. Without `search`, the newest contacts come first. Merged contacts are not returned, but their values find the survivor.',
    input: SearchContacts,
    response: FoundContacts,
    example: {
      response: {
        data: [foundContact],
        page: 1,
        more: false,
        count: null,
      },
    },
  },
  (tx, { accountId, input }) => searchContacts(tx, accountId, input),
);

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
      response: Contact,
      notFound: 'There is no such contact.',
      example: { input: { email: 'ana.silva@gmail.com' }, response: contact },
    },
    (tx, { accountId, input, baseUrl }) => findContactBy(tx, accountId, input, baseUrl),
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
      response: Contact,
      example: { response: contact },
    },
    (tx, { accountId, ids, baseUrl }) => showContact(tx, accountId, ids.contact_id, baseUrl),
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
      response: StaffContact,
      example: { response: staffContact },
    },
    (tx, { accountId, input, slice, baseUrl }) => listContacts(tx, accountId, input, slice, baseUrl),
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
      response: StaffContact,
      example: { response: staffContact },
    },
    (tx, { accountId, ids, baseUrl }) => showStaffContact(tx, accountId, ids.contact_id, baseUrl),
  ),
];
