import { crudRoutes } from '../../../platform/http/crud-routes.ts';
import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { propertiesOf } from '../../../shared/record.ts';
import { foundContact } from '../../guests/contacts/examples.ts';
import { FoundContact } from '../../guests/contacts/schema.ts';
import { definitionErrors } from './check.ts';
import { explainMembership } from './explain.ts';
import { listSegmentChanges, showHistory } from './history.ts';
import { changeSegment, createSegment, listSegments, removeSegment, showSegment } from './manage.ts';
import { listMembers, MemberExport, previewSegment } from './members.ts';
import { listPresets } from './presets.ts';
import {
  exportedColumns,
  ForPresets,
  Membership,
  PresetList,
  Preview,
  PreviewSegment,
  Segment,
  SegmentChange,
  SegmentHistory,
  SegmentUpdate,
  SegmentWrite,
} from './schema.ts';

const account = '/admin/v1/accounts/:account_id';
const segment = `${account}/segments/:segment_id` as const;
const staff = { access: 'admin', tag: 'Segments' } as const;

const definition = { field: 'visits', op: 'at_least', value: 3, in_last_days: 60 };
const counts = { count: 310, contactable: { email: 240, sms: 120, call: 15, snail_mail: 60 } };
const exampleSegment = {
  ...{ id: 7, name: 'Gold regulars', definition },
  ...{ ...counts, created_at: '2026-03-01T12:30:00.000Z', updated_at: '2026-03-01T12:30:00.000Z' },
};

const bounds = { default: 90, min: 1, max: 3650 };

/** The state of an export, which is read in several transactions, by its call. */
const exports = new WeakMap<object, MemberExport>();

export const segmentRoutes = [
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${account}/segments/preview`,
      operationId: 'adminPreviewSegment',
      readsOnly: true,
      summary: 'Preview a segment',
      description: 'Counts the members of a definition. Nothing is stored.',
      input: PreviewSegment,
      response: Preview,
      example: { input: { definition }, response: { ...counts, sample: [foundContact] } },
    },
    (tx, { accountId, input, receivedAt: now }) => previewSegment(tx, accountId, input.definition, { now }),
  ),
  ...crudRoutes(
    {
      path: `${account}/segments`,
      id: 'segment_id',
      kind: 'segment',
      noun: 'segment',
      plural: 'segments',
      tag: staff.tag,
      create: SegmentWrite,
      change: SegmentUpdate,
      response: Segment,
      example: {
        create: { name: 'Gold regulars', definition },
        change: { name: 'Gold regulars' },
        response: exampleSegment,
      },
      notes: {
        create: 'A definition that takes longer than 5 seconds to evaluate returns 422.',
        change: 'What is not sent stays as it is.',
        remove: 'A segment that another one refers to cannot be deleted (422).',
      },
      alsoCheck: (tx, { accountId, input }) => definitionErrors(tx, accountId, propertiesOf(input).definition),
    },
    {
      create: (tx, { accountId, input, receivedAt: now }) => createSegment(tx, accountId, input, { now }),
      list: (tx, { accountId, slice, receivedAt: now }) => listSegments(tx, accountId, slice, { now }),
      show: (tx, { accountId, receivedAt: now }, id) => showSegment(tx, accountId, id, { now }),
      change: (tx, { accountId, input, receivedAt: now }, id) => changeSegment(tx, accountId, id, input, { now }),
      remove: (tx, { accountId }, id) => removeSegment(tx, accountId, id),
    },
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${segment}/contacts`,
      operationId: 'adminListSegmentContacts',
      summary: 'List the members of a segment',
      description:
        'Newest first. With `Accept: text/csv` or `format=csv` the response is one CSV file with all members.',
      input: NoFields,
      response: FoundContact,
      example: { response: foundContact },
      csv: {
        columns: exportedColumns,
        next: (tx, call, after) => {
          const known = exports.get(call) ?? new MemberExport(call.ids.segment_id, { now: call.receivedAt });
          exports.set(call, known);
          return known.next(tx, call.accountId, after);
        },
      },
    },
    (tx, { accountId, ids, slice, receivedAt: now }) => listMembers(tx, accountId, ids.segment_id, slice, { now }),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${segment}/contacts/:contact_id`,
      operationId: 'adminExplainSegmentContact',
      summary: 'Explain a membership',
      description: 'Whether a contact is a member, until when, and its value beside each condition.',
      input: NoFields,
      response: Membership,
      example: {
        response: {
          ...{ member: true, since: '2026-02-03', until: '2026-04-12' },
          because: [{ condition: definition, holds: true, actual: 4 }],
        },
      },
    },
    (tx, { accountId, ids, receivedAt: now }) =>
      explainMembership(tx, accountId, ids.segment_id, ids.contact_id, { now }),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${segment}/history`,
      operationId: 'adminShowSegmentHistory',
      summary: 'Show the numbers of a segment over time',
      description: 'The number of members at the end of each day, and how many entered and left.',
      input: NoFields,
      response: SegmentHistory,
      example: { response: { data: [{ day: '2026-03-01', ...counts, entered: 4, left: 1 }] } },
    },
    (tx, { accountId, ids, receivedAt: now }) => showHistory(tx, accountId, ids.segment_id, { now }),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${segment}/changes`,
      operationId: 'adminListSegmentChanges',
      summary: 'List who entered and left a segment',
      description: 'Latest first, for 90 days. A new or changed definition makes no entries.',
      input: NoFields,
      response: SegmentChange,
      example: { response: { contact_id: 42, change: 'entered', at: '2026-03-01T12:30:00.000Z' } },
    },
    (tx, { accountId, ids, slice }) => listSegmentChanges(tx, accountId, ids.segment_id, slice),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/segment_presets`,
      operationId: 'adminListSegmentPresets',
      summary: 'List ready-made segments',
      description: 'Returns definitions with their settings.',
      input: ForPresets,
      response: PresetList,
      example: {
        response: {
          data: [
            {
              ...{ key: 'lapsed', name: 'Lapsed guests', description: 'Visited before, but not in the last 90 days.' },
              settings: [
                { ...{ name: 'days', label: 'Days without a visit', type: 'integer' }, ...bounds, paths: ['/value'] },
              ],
              definition: { field: 'last_visit', op: 'not_in_last_days', value: 90 },
            },
          ],
        },
      },
    },
    (tx, { accountId, input }) => listPresets(tx, accountId, input),
  ),
];
