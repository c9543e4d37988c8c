import { Badge } from '@mantine/core';
import { statusWords } from './status-words.ts';

/** An answer's status: its number, and what it means. */
export function StatusBadge({ status }: { status: number }) {
  const { words, color } = statusWords(status);
  return (
    <Badge color={color} miw="max-content">
      {status === 0 ? '' : `${status} `}
      {words}
    </Badge>
  );
}
