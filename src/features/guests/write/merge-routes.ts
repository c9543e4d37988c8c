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
        'The contact of the path is the survivor. It takes over values that it lacks, and a consent only together with the address that it was given for. A consent that one of the two withdrew stays withdrawn. A merge can be undone.',
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
      description: 'Lists the merges by staff and the automatic merges, newest first. Undone merges are included.',
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
      description: 'Returns 404 if there is no such merge.',
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
        'Restores both contacts. Values that the survivor took over are removed, unless they have changed since. A consent that the merge ended stays ended. The same phone does not merge the two again. A second undo returns 422.',
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
      description: 'Lists pairs of contacts with the same mobile number and different e-mails, newest first.',
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
      summary: 'Mark two contacts as different people',
      description:
        'The pair is no longer listed and is never merged automatically. Returns 404 if there is no such pair.',
      input: NoFields,
      example: { input: {} },
    },
    (tx, { accountId, ids, actor }) => keepPairApart(tx, accountId, ids.pair_id, actor),
  ),
];
