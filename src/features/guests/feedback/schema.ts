import Type, { type Static } from 'typebox';
import { builtInFeedbackCategories, feedbackSources, feedbackTypes, idsOf, listed } from '../../../shared/codes.ts';
import { Id, Nullable, WallClock } from '../../../shared/fields.ts';

const typeId = Type.Integer({
  description: `${listed(feedbackTypes, { unknown: ' (default)' })}.`,
  enum: idsOf(feedbackTypes),
  examples: [1],
});
const sourceId = Type.Integer({
  description: `${listed(feedbackSources)}.`,
  enum: idsOf(feedbackSources),
  examples: [3],
});
const long = (description: string, example: string) =>
  Type.String({ description, maxLength: 10_000, examples: [example] });
const tag = Type.String({ description: 'A tag, for example the topic.', maxLength: 255, examples: ['atmosphere'] });
const categoryId = Type.Integer({
  description: `${listed(builtInFeedbackCategories)}. \`/v1/feedback/categories\` has the full list.`,
  examples: [4],
});
const ratingText = Type.String({
  description: 'The rating. For NPS it is an integer from 0 to 10.',
  minLength: 1,
  maxLength: 255,
  examples: ['9'],
});

export const NewFeedback = Type.Object(
  {
    type_id: Type.Optional(typeId),
    source_id: Type.Optional(sourceId),
    unit_id: Type.Optional(Id('The unit. The default is the root unit.')),
    comments: Type.Optional(
      Type.Array(
        Type.Object(
          { type: Type.Optional(tag), note: long('The comment.', 'Lovely fire.') },
          { title: 'FeedbackCommentWrite' },
        ),
        { description: 'The comments.' },
      ),
    ),
    ratings: Type.Optional(
      Type.Array(
        Type.Object(
          {
            category_id: categoryId,
            rating_text: ratingText,
            contact_note: Type.Optional(long('A note of the guest.', 'Quick and kind.')),
          },
          { title: 'FeedbackRatingWrite' },
        ),
        { description: 'The ratings.' },
      ),
    ),
    created_at: Type.Optional(WallClock('The time. The default is the time of the request.')),
  },
  { title: 'FeedbackWrite' },
);
export type NewFeedback = Static<typeof NewFeedback>;
export type NewRating = NonNullable<NewFeedback['ratings']>[number];

export const Feedback = Type.Object(
  {
    id: Id('The id of the feedback.'),
    type_id: typeId,
    source_id: Nullable(sourceId),
    unit_id: Id('The unit.'),
    comments: Type.Array(
      Type.Object(
        { type: Nullable(tag), note: Type.String({ description: 'The comment.' }) },
        { title: 'FeedbackComment' },
      ),
      { description: 'The comments.' },
    ),
    ratings: Type.Array(
      Type.Object(
        {
          category_id: categoryId,
          rating_text: ratingText,
          contact_note: Nullable(Type.String({ description: 'A note of the guest.' })),
        },
        { title: 'FeedbackRating' },
      ),
      { description: 'The ratings.' },
    ),
    created_at: WallClock('The time.'),
  },
  { title: 'Feedback' },
);
export type Feedback = Static<typeof Feedback>;
