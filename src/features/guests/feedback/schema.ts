import Type, { type Static } from 'typebox';
import { Id, Nullable, WallClock } from '../../../shared/fields.ts';

/** The default type. */
export const unknownType = 4;
/** The category whose rating is a number. */
export const npsCategory = 4;

const typeId = Type.Integer({
  description: '1 positive, 2 negative, 3 neutral, 4 unknown (unless given).',
  enum: [1, 2, 3, 4],
  examples: [1],
});
const sourceId = Type.Integer({
  description: '1 website, 2 a social network, 3 tablet, 4 email, 5 a microblogging social network.',
  enum: [1, 2, 3, 4, 5],
  examples: [3],
});
const long = (description: string, example: string) =>
  Type.String({ description, maxLength: 10_000, examples: [example] });
const tag = Type.String({ description: 'A tag, such as a topic.', maxLength: 255, examples: ['atmosphere'] });
const categoryId = Type.Integer({
  description: '1 food, 2 drink, 3 service, 4 NPS; the full list is at `/v1/feedback/categories`.',
  examples: [4],
});
const ratingText = Type.String({
  description: 'For NPS a number from 0 to 10.',
  minLength: 1,
  maxLength: 255,
  examples: ['9'],
});

export const NewFeedback = Type.Object({
  type_id: Type.Optional(typeId),
  source_id: Type.Optional(sourceId),
  unit_id: Type.Optional(Id('Where it was; the root unit unless given.')),
  comments: Type.Optional(
    Type.Array(Type.Object({ type: Type.Optional(tag), note: long('What was said.', 'Lovely fire.') })),
  ),
  ratings: Type.Optional(
    Type.Array(
      Type.Object({
        category_id: categoryId,
        rating_text: ratingText,
        contact_note: Type.Optional(long('What the guest added.', 'Quick and kind.')),
      }),
    ),
  ),
  created_at: Type.Optional(WallClock('When it was given; the time of the request unless given.')),
});
export type NewFeedback = Static<typeof NewFeedback>;

export const Feedback = Type.Object({
  id: Id('Feedback id'),
  type_id: typeId,
  source_id: Nullable(sourceId),
  unit_id: Id('Where it was.'),
  comments: Type.Array(Type.Object({ type: Nullable(tag), note: Type.String() })),
  ratings: Type.Array(
    Type.Object({ category_id: categoryId, rating_text: ratingText, contact_note: Nullable(Type.String()) }),
  ),
  created_at: WallClock('When it was given.'),
});
export type Feedback = Static<typeof Feedback>;
