import Type from 'typebox';
import { eventKind } from '../../../shared/event-kind.ts';
import { Id } from '../../../shared/fields.ts';
import { Feedback } from './schema.ts';

const { id, ...fields } = Feedback.properties;

export const feedbackReceived = eventKind(
  'feedback.received',
  'A contact gave feedback.',
  Type.Object({ contact_id: Id('The contact.'), feedback_id: id, ...fields }, { title: 'FeedbackReceived' }),
  {
    contact_id: 42,
    feedback_id: 9,
    type_id: 1,
    source_id: 3,
    unit_id: 2,
    comments: [{ type: 'atmosphere', note: 'Lovely fire.' }],
    ratings: [{ category_id: 4, rating_text: '9', contact_note: null }],
    created_at: '2026-03-01 12:30:00',
  },
);
