import { jsonRoute, listRoute, noContentRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { foundContact } from '../contacts/examples.ts';
import { keepPairApart, listDuplicates, listMerges, mergeContacts, showMerge, undoMerge } from './merge.ts';
import { ListMerges, Merge, MergeInto, PossibleDuplicate } from './schema.ts';

const merge = {
  id: 9,
  contact_id: 57,
  into_contact_id: 42,
  reason: 'same_mobile' as const,
  actor: 'token 3',
  at: '2026-03-01T12:30:00.000Z',
  undone_at: null,
  undone_by: null,
  contact: { first_name: 'Ana', last_name: '', email: '', mobile_number: '447700900123' },
};

const staff = { access: 'admin', tag: 'Manage contacts' } as const;
const account = '/admin/v1/accounts/:account_id';

export const mergeRoutes = [
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${account}/contacts/:contact_id/merge`,
      operationId: 'adminMergeContact',
      action: 'contact.merge',
      summary: 'Merge another contact into this one',
      description:
        'This contact stays, and takes over what it lacks; the other’s id leads to it from now on. Consent is never given by a merge. It can be undone.',
      input: MergeInto,
      response: Merge,
      example: { input: { contact_id: 57 }, response: { ...merge, reason: 'staff' as const, actor: 'jo@example.com' } },
    },
    (tx, { accountId, ids, input, actor }) => mergeContacts(tx, accountId, ids.contact_id, input.contact_id, actor),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/merges`,
      operationId: 'adminListMerges',
      summary: 'List merges',
      description: 'Newest first: those by staff, and those that a write brought about.',
      input: ListMerges,
      response: Merge,
      example: { response: merge },
    },
    (tx, { accountId, input, slice }) => listMerges(tx, accountId, slice, input),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/merges/:merge_id`,
      operationId: 'adminGetMerge',
      summary: 'Show a merge',
      input: NoFields,
      response: Merge,
      example: { response: merge },
    },
    (tx, { accountId, ids }) => showMerge(tx, accountId, ids.merge_id),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${account}/merges/:merge_id/undo`,
      operationId: 'adminUndoMerge',
      action: 'merge.undo',
      summary: 'Undo a merge',
      description:
        'The contact is itself again, with all that was its own. What the other took over is taken back, as far as it was not changed since. The two are not joined again by a phone they share. A consent that the merge ended stays ended: only the guest can give it.',
      input: NoFields,
      response: Merge,
      example: {
        input: {},
        response: { ...merge, undone_at: '2026-03-02T09:00:00.000Z', undone_by: 'jo@example.com' },
      },
    },
    (tx, { accountId, ids, actor }) => undoMerge(tx, accountId, ids.merge_id, actor),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/possible_duplicates`,
      operationId: 'adminListPossibleDuplicates',
      summary: 'List possible duplicates',
      description: 'Pairs of contacts that share a phone and have different e-mails. Newest first.',
      input: NoFields,
      response: PossibleDuplicate,
      example: {
        response: {
          id: 6,
          reason: 'same_mobile' as const,
          created_at: '2026-03-01T12:30:00.000Z',
          contacts: [
            foundContact,
            { ...foundContact, id: 57, first_name: 'Rui', email: 'rui@gmail.com', last_visit_at: null },
          ],
        },
      },
    },
    (tx, { accountId, slice }) => listDuplicates(tx, accountId, slice),
  ),
  noContentRoute(
    {
      ...staff,
      method: 'POST',
      path: `${account}/possible_duplicates/:pair_id/keep_apart`,
      operationId: 'adminKeepContactsApart',
      action: 'contact.keep_apart',
      summary: 'Say that they are two people',
      description: 'They are no longer listed, and never merged by themselves.',
      input: NoFields,
      example: { input: {} },
    },
    (tx, { accountId, ids, actor }) => keepPairApart(tx, accountId, ids.pair_id, actor),
  ),
];
