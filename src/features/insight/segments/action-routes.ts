import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { AddSegmentToGroup, AssignToSegment, ListActions, SegmentAction } from './action-schema.ts';
import { cancelAction, listActions, showAction, startAddToGroup, startAssignCodes } from './actions.ts';

const account = '/admin/v1/accounts/:account_id';
const segment = `${account}/segments/:segment_id` as const;
const staff = { access: 'admin', tag: 'Segments' } as const;

const example: SegmentAction = {
  ...{ id: 5, kind: 'assign_codes', segment_id: 7, unique_code_group_id: 3, group_id: null },
  ...{ target_name: 'Summer vouchers', state: 'running', total: 310, done: 150, skipped: 10, left: 150, error: null },
  ...{ created_at: '2026-03-01T12:30:00.000Z', finished_at: null },
};
const subjectOf = ({ target_name }: SegmentAction) => target_name ?? '';

/** What staff do with all members of a segment. A job does the work. */
export const segmentActionRoutes = [
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${segment}/assign_codes`,
      operationId: 'adminAssignCodesToSegment',
      action: 'segment.assign_codes',
      summary: 'Assign unique codes to a segment',
      description:
        'Gives each member a free code, in the background. Members who have a code of the group are skipped. Too few codes return 422. If the same action is unfinished, it is returned.',
      input: AssignToSegment,
      response: SegmentAction,
      status: 202,
      example: { input: { unique_code_group_id: 3 }, response: example },
    },
    async (tx, { accountId, ids, input, receivedAt: now, setSubject }) => {
      const started = await startAssignCodes(tx, accountId, ids.segment_id, input, { now });
      setSubject(subjectOf(started));
      return started;
    },
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${segment}/add_to_group`,
      operationId: 'adminAddSegmentToGroup',
      action: 'segment.add_to_group',
      summary: 'Add a segment to a group',
      description:
        'Adds each member to the group and its unit, in the background. If the same action is unfinished, it is returned.',
      input: AddSegmentToGroup,
      response: SegmentAction,
      status: 202,
      example: {
        input: { group_id: 4 },
        response: {
          ...example,
          ...{ kind: 'add_to_group', unique_code_group_id: null, group_id: 4, target_name: 'Newsletter' },
        },
      },
    },
    async (tx, { accountId, ids, input, receivedAt: now, setSubject }) => {
      const started = await startAddToGroup(tx, accountId, ids.segment_id, input, { now });
      setSubject(subjectOf(started));
      return started;
    },
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/segment_actions`,
      operationId: 'adminListSegmentActions',
      summary: 'List segment actions',
      description: 'Newest first.',
      input: ListActions,
      response: SegmentAction,
      example: { response: example },
    },
    (tx, { accountId, input, slice }) => listActions(tx, accountId, input, slice),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'GET',
      path: `${account}/segment_actions/:segment_action_id`,
      operationId: 'adminGetSegmentAction',
      summary: 'Show a segment action',
      description: 'Returns 404 if there is no such action.',
      input: NoFields,
      response: SegmentAction,
      example: { response: example },
    },
    (tx, { accountId, ids }) => showAction(tx, accountId, ids.segment_action_id),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path: `${account}/segment_actions/:segment_action_id/cancel`,
      operationId: 'adminCancelSegmentAction',
      action: 'segment.cancel_action',
      summary: 'Cancel a segment action',
      description: 'What was done stays. A finished action does not change.',
      input: NoFields,
      response: SegmentAction,
      example: { input: {}, response: { ...example, state: 'cancelled', finished_at: '2026-03-01T12:31:00.000Z' } },
    },
    async (tx, { accountId, ids, setSubject }) => {
      const cancelled = await cancelAction(tx, accountId, ids.segment_action_id);
      setSubject(subjectOf(cancelled));
      return cancelled;
    },
  ),
];
