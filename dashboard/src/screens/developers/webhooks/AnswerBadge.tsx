import { Badge } from '@mantine/core';

/** What the receiver answered: only a 2xx is a success. */
export function AnswerBadge({ status }: { status: number | null }) {
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <Badge color={isGood ? 'green' : 'red'} miw="max-content">
      {status === null ? 'No answer' : `${status} ${isGood ? 'OK' : 'Failed'}`}
    </Badge>
  );
}
