import { noContentRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { eraseContact } from './erase.ts';

export const erasureRoutes = [
  noContentRoute(
    {
      access: 'admin',
      tag: 'Manage contacts',
      method: 'DELETE',
      path: '/admin/v1/accounts/:account_id/contacts/:contact_id',
      operationId: 'adminEraseContact',
      action: 'contact.erase',
      summary: 'Erase a contact',
      description:
        'Permanent. Deletes the contact, its activity, its consent ledger and all contacts that were merged into it. Its membership numbers and cards are removed from the purchases of others. Returns 404 if there is no such contact.',
      input: NoFields,
    },
    async (tx, { accountId, ids }) => {
      await eraseContact(tx, accountId, ids.contact_id);
    },
  ),
];
