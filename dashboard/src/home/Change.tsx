import { Text } from '@mantine/core';
import { counted, formatMoney, formatNumber, formatSigned } from '../ui/format.ts';

/** "on the 30 days before" */
export const before = (days: number) => (days === 1 ? 'the day before' : `the ${counted(days, 'day')} before`);

interface ChangeProps {
  now: number;
  before: number;
  /** How many days each is of. */
  days: number;
}

/** How much more or less it is than in as many days before. */
export function Change({ now, before: then, days }: ChangeProps) {
  if (then === 0) return now === 0 ? `as in ${before(days)}` : `none in ${before(days)}`;
  // Refunds: of less than nothing there is no share. Only money can be that.
  if (then < 0) return `${formatMoney(then)} in ${before(days)}`;
  if (now >= 10 * then) return `${formatNumber(Math.round(now / then))} times ${before(days)}`;
  const percent = Math.round((100 * (now - then)) / then);
  return (
    <>
      <Text
        component="span"
        inherit
        c={
          percent === 0 ? undefined : percent > 0 ? 'var(--mantine-color-green-text)' : 'var(--mantine-color-red-text)'
        }
      >
        {formatSigned(percent)}%
      </Text>{' '}
      on {before(days)}
    </>
  );
}
