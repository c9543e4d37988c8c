import { Badge } from '@mantine/core';
import { statusWords } from './status-words.ts';

/** A response status: its number and its meaning. */
export function StatusBadge({ status }: { status: number }) {
  const { words, color } = statusWords(status);
  return (
    <Badge color={color} miw="max-content">
      {status === 0 ? '' : `${status} `}
      {words}
    </Badge>
  );
}
