import { crudRoutes } from '../../../platform/http/crud-routes.ts';
import { jsonRoute, type Route } from '../../../platform/http/route.ts';
import { feedbackTypes } from '../../../shared/codes.ts';
import { NoFields } from '../../../shared/fields.ts';
import { allLookups, changeLookup, createLookup, listLookups, removeLookup, showLookup } from './manage.ts';
import { type LookupKind, LookupList, lookupKinds } from './schema.ts';

/** The admin API: the same five routes for every kind. */
function management(kind: LookupKind): Route[] {
  return crudRoutes(
    {
      path: `/admin/v1/accounts/:account_id/${kind.table}`,
      id: 'id',
      kind: kind.code,
      noun: kind.noun,
      plural: kind.plural,
      tag: 'Manage look-ups',
      create: kind.create,
      change: kind.rename,
      response: kind.answer,
      example: { create: kind.example, change: { name: kind.example.name }, response: { id: 1000, ...kind.example } },
      notes: {
        create: `A name that another ${kind.noun} has returns 422.`,
        ...(kind.builtIn.length > 0
          ? {
              change: 'Only the name can be changed. Built-in entries cannot be changed (422).',
              remove: 'Built-in entries and entries that are in use cannot be deleted (422).',
            }
          : // Providers are not referenced: a provider id may be any integer.
            kind.table === 'providers'
            ? {}
            : { remove: 'An entry that is in use cannot be deleted (422).' }),
      },
    },
    {
      create: (tx, { accountId, input }) => createLookup(tx, kind, accountId, input),
      list: (tx, { accountId, slice }) => listLookups(tx, kind, accountId, slice),
      show: (tx, { accountId }, id) => showLookup(tx, kind, accountId, id),
      change: (tx, { accountId, input }, id) => changeLookup(tx, kind, accountId, id, input.name),
      remove: (tx, { accountId }, id) => removeLookup(tx, kind, accountId, id),
    },
  );
}

/** The partner API: the whole list. */
function lookup(
  path: string,
  operationId: string,
  summary: string,
  data: readonly { id: number; name: string }[],
  kind?: LookupKind,
): Route {
  return jsonRoute(
    {
      method: 'GET',
      path,
      access: 'partner',
      tag: 'Look-ups',
      operationId,
      summary,
      description: kind
        ? 'Returns the whole list, built-in entries and those that staff added.'
        : 'Returns the whole list. It is the same for all accounts.',
      input: NoFields,
      response: LookupList,
      example: { response: { data } },
    },
    async (tx, { accountId }) => (kind ? allLookups(tx, kind, accountId) : { data: [...data] }),
  );
}

export const lookupRoutes = [
  lookup('/v1/feedback/types', 'listFeedbackTypes', 'List feedback types', feedbackTypes),
  lookup(
    '/v1/feedback/categories',
    'listFeedbackCategories',
    'List feedback categories',
    lookupKinds.feedbackCategories.builtIn,
    lookupKinds.feedbackCategories,
  ),
  lookup(
    '/v1/booking/sources',
    'listBookingSources',
    'List booking sources',
    lookupKinds.bookingSources.builtIn,
    lookupKinds.bookingSources,
  ),
  ...Object.values(lookupKinds).flatMap(management),
];
