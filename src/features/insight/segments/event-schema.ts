import Type from 'typebox';
import { eventKind } from '../../../shared/event-kind.ts';
import { Id } from '../../../shared/fields.ts';

const data = (title: string) =>
  Type.Object(
    {
      contact_id: Id('The contact.'),
      segment_id: Id('The segment.'),
      segment_name: Type.String({ description: 'The name of the segment.' }),
    },
    { title },
  );
const example = { contact_id: 42, segment_id: 7, segment_name: 'Gold regulars' };

export const segmentEntered = eventKind(
  'segment.entered',
  'A contact became a member of a segment. A new or changed definition makes no events.',
  data('SegmentEntered'),
  example,
);

export const segmentLeft = eventKind(
  'segment.left',
  'A contact is no longer a member of a segment. A new or changed definition makes no events.',
  data('SegmentLeft'),
  example,
);
