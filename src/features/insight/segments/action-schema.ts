import Type, { type Static } from 'typebox';
import { Id, Instant, Nullable } from '../../../shared/fields.ts';

export const actionKinds = ['assign_codes', 'add_to_group'] as const;
export type ActionKind = (typeof actionKinds)[number];
export const actionStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;

/** The most unfinished actions of an account. */
export const maxOpenActions = 10;

export const AssignToSegment = Type.Object(
  { unique_code_group_id: Id('The group whose free codes the members get.') },
  { title: 'SegmentAssignCodes' },
);
export type AssignToSegment = Static<typeof AssignToSegment>;

export const AddSegmentToGroup = Type.Object(
  { group_id: Id('The group that the members are added to.') },
  { title: 'SegmentAddToGroup' },
);
export type AddSegmentToGroup = Static<typeof AddSegmentToGroup>;

const amount = (description: string) => Type.Integer({ description, minimum: 0 });

export const SegmentAction = Type.Object(
  {
    id: Id('The id of the action.'),
    kind: Type.Enum(actionKinds, { description: 'What the members get.' }),
    segment_id: Id('The segment.'),
    unique_code_group_id: Nullable(Id('The group of the codes.')),
    group_id: Nullable(Id('The group of contacts.')),
    target_name: Nullable(Type.String({ description: 'The name of that group. Null if it was deleted.' })),
    state: Type.Enum(actionStates, { description: 'The state.' }),
    total: amount('The number of members at the start; when done, of those who were handled.'),
    done: amount('Members who got a code, or were added.'),
    skipped: amount('Members who had a code of the group or were in the group already.'),
    left: amount('Members who are not handled.'),
    error: Nullable(Type.String({ description: 'Why it failed.' })),
    created_at: Instant('The time of the start.'),
    finished_at: Nullable(Instant('The time of the end.')),
  },
  { title: 'SegmentAction' },
);
export type SegmentAction = Static<typeof SegmentAction>;

export const ListActions = Type.Object({ segment_id: Type.Optional(Id('Only actions of this segment.')) });
export type ListActions = Static<typeof ListActions>;

/** The job that runs an action. */
export const runActionTask = 'run_segment_action';
export const RunAction = Type.Object({ account_id: Id('The account.'), action_id: Id('The action.') });
export type RunAction = Static<typeof RunAction>;
