import { Badge } from '@mantine/core';
import { statusText } from './status-text.ts';

/** A response status: its number and its meaning. */
export function StatusBadge({ status }: { status: number }) {
  const { words, color } = statusText(status);
  return (
    <Badge color={color} miw="max-content">
      {status === 0 ? '' : `${status} `}
      {words}
    </Badge>
  );
}
