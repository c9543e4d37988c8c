import { Badge, Group, Text } from '@mantine/core';
import type { TimelineEntry } from '#service/features/insight/timeline/schema.ts';
import { npsCategory } from '#service/shared/codes.ts';
import classes from './Timeline.module.css';

/** The ratings and the text of a feedback. */
export function FeedbackDetails({
  feedback: { ratings, comments },
}: {
  feedback: NonNullable<TimelineEntry['feedback']>;
}) {
  const texts = [
    ...comments.map(({ type, note }) => ({ about: type, note })),
    ...ratings.map(({ category_name, contact_note }) => ({ about: category_name, note: contact_note })),
  ].filter(({ note }) => note);
  return (
    <>
      {ratings.length > 0 && (
        <Group gap={4} mt={4}>
          {ratings.map(({ category_id, category_name, rating_text }) => (
            <Badge key={category_id} color={category_id === npsCategory ? npsColor(Number(rating_text)) : 'gray'}>
              {category_name}: {rating_text}
              {category_id === npsCategory && ' of 10'}
            </Badge>
          ))}
        </Group>
      )}
      {texts.map(({ about, note }) => (
        <blockquote key={`${about} ${note}`} className={classes.said}>
          {note}
          {about && (
            <Text component="span" size="sm" c="dimmed">
              {' '}
              on {about}
            </Text>
          )}
        </blockquote>
      ))}
    </>
  );
}

const npsColor = (score: number) => (score >= 9 ? 'green' : score >= 7 ? 'yellow' : 'red');
