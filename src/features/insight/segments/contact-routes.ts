import Type from 'typebox';
import { jsonRoute, type Route } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { propertiesOf } from '../../../shared/record.ts';
import { segmentsOfContact } from './contact-segments.ts';
import { type FilterContacts, filterContacts, filterErrors } from './filter-contacts.ts';
import { ContactSegments } from './schema.ts';

/** A longer definition can be previewed, or stored as a segment. */
const longestDefinition = 8000;

const definition = Type.Optional(
  Type.String({
    description:
      'A definition as in segments, as JSON: only its members. Not together with `search`. The other filters must hold too.',
    maxLength: longestDefinition,
  }),
);

/** The search of contacts with an additional filter: a definition, as segments have. */
export function withDefinition(search: Route): Route {
  return {
    ...search,
    input: Type.Object({ ...search.input.properties, definition }),
    handler: (tx, call) => {
      const sent = call.input as Partial<FilterContacts>;
      if (sent.definition === undefined) return search.handler(tx, call);
      return filterContacts(tx, call.accountId, sent as FilterContacts, { now: call.receivedAt });
    },
    alsoCheck: (tx, { accountId, input }) => filterErrors(tx, accountId, propertiesOf(input).definition),
  };
}

export const contactSegmentRoutes = [
  jsonRoute(
    {
      access: 'admin',
      tag: 'Segments',
      method: 'GET',
      path: '/admin/v1/accounts/:account_id/contacts/:contact_id/segments',
      operationId: 'adminListContactSegments',
      summary: 'List the segments of a contact',
      description: 'Evaluates all segments for at most 5 seconds.',
      input: NoFields,
      response: ContactSegments,
      example: { response: { data: [{ id: 7, name: 'Gold regulars', since: '2026-02-03' }], not_evaluated: [] } },
    },
    (tx, { accountId, ids, receivedAt: now }) => segmentsOfContact(tx, accountId, ids.contact_id, { now }),
  ),
];
