import { eventKinds, eventOf } from '../features/exchange/events/schema.ts';
import { webhookTest } from '../features/exchange/webhooks/event-schema.ts';
import { openApiDocument } from '../platform/http/openapi.ts';
import { monitoringPaths } from '../platform/http/openapi-components.ts';
import type { Route } from '../platform/http/route.ts';
import { version } from '../platform/version.ts';

const basics = `**Requests.** Send parameters in the query or in a JSON body, also with GET. If a name is in both, the query value is used. Integers may be numeric strings, booleans may be \`1\` or \`0\`, and unknown fields are ignored. Null, absent and blank values change nothing, except \`gender\`, where blank is a value. Text is normalised to Unicode NFC. It has at most 255 characters and a list at most 1,000 elements, unless the field has another limit. A body has at most 100,000 elements.

**Responses.** A list has 100 entries per page. Every response has an \`X-Request-Id\`. You can send your own.

**Errors.** A 422 names all failing fields, at most 100, and stores nothing. 429 and 503 have \`Retry-After\`. A wrong method is a 405 with \`Allow\`. A body on a GET or DELETE can lead to 413 and 415 too.`;

const partnerBasics = `${basics}

**Retries.** Success is 200 on every \`/v1\` route. Send an \`Idempotency-Key\` with every POST, and the same key with the retry. The request is then executed once.

**Rate limit.** Responses have \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds), unless the operator turned the limit off.`;

const partnerTags = {
  Contacts: 'Write and read contacts, the guests of the account, with their activity, notes, feedback and consent.',
  Purchases: 'Add anonymous purchases. They are matched to contacts by a key, for example a table.',
  Bookings: 'Find and change bookings. Bookings are created on the contact write.',
  Presence: 'Search who was where and when (PoP, proof of presence).',
  'Unique codes': 'Create groups of unique codes (vouchers), check codes and redeem them.',
  Events: 'Hear of every change: the event feed, and the bodies of webhooks.',
  Units: 'List the units, the places of the account.',
  'Look-ups': 'Lists of names with ids that requests refer to.',
};

const adminTags = {
  'Manage contacts': 'Search contacts, read their timeline, record consent, merge contacts and erase them.',
  Segments: 'Sets of contacts by definition.',
  Webhooks: 'Send every change to another system.',
  'Manage purchases': 'Waiting purchases, and how purchases were matched.',
  'Manage unique codes': 'Create, assign and count unique codes (vouchers).',
  'Manage units': 'The units, the places of the account.',
  'Manage folders and groups': 'Groups of contacts on a unit, and the folders that contain them.',
  'Manage look-ups': 'User-defined fields, sources, providers, feedback categories and booking sources.',
  Overview: 'The figures of an account.',
  Sessions: 'Sign in, sign out, and change your password.',
  'Manage accounts': 'Accounts are separate customer groups. Only owners create and delete them.',
  'Manage users': 'The users of the dashboard and the admin API. Only for owners.',
  'Manage tokens': 'The personal access tokens of partners and their requests. Only for owners.',
  'Manage e-mail domains': 'The domains whose addresses are accepted. Only for owners.',
  'Audit trail': 'Every change through the admin API or the command line. Only for owners.',
};

/** The requests that the service sends to webhooks: one for each type of event, and the test event. */
const webhooks = { tag: 'Events', events: [...eventKinds, webhookTest].map(eventOf) };

/** The document of all routes, and the one for partners. */
export function apiDocuments(routes: readonly Route[]) {
  const whole = openApiDocument(routes, {
    title: 'Regulars API',
    version,
    description: `The partner API (\`/v1\`) for tills, booking platforms, wifi portals and voucher apps, and the admin API (\`/admin/v1\`) for staff and scripts.\n\n${partnerBasics}`,
    tagGroups: {
      Partners: partnerTags,
      Administrators: adminTags,
      Operators: { Monitoring: 'The state of the service.' },
    },
    otherPaths: monitoringPaths,
    webhooks,
  });
  const partners = openApiDocument(
    routes.filter(({ access }) => access === 'partner'),
    {
      title: 'Regulars partner API',
      version,
      description: `Tills, booking platforms, wifi portals and voucher apps write contacts and their activity through this API.\n\n${partnerBasics}`,
      tagGroups: { Partners: partnerTags },
      webhooks,
    },
  );
  return { whole, partners };
}
