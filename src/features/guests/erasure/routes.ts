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
        'For a guest who asks to be forgotten: the contact goes for good, with everything it did, all that was merged into it, and its consent ledger. Its membership numbers and cards are removed from the purchases of others.',
      input: NoFields,
    },
    async (tx, { accountId, ids }) => {
      await eraseContact(tx, accountId, ids.contact_id);
    },
  ),
];
