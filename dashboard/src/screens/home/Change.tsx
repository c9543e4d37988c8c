import { Text } from '@mantine/core';
import { formatMoney, formatNumber, formatSigned, withCount } from '../../ui/format.ts';

/** "the 30 days before" */
export const before = (days: number) => (days === 1 ? 'the day before' : `the ${withCount(days, 'day')} before`);

interface ChangeProps {
  now: number;
  before: number;
  /** The number of days of each range. */
  days: number;
}

/** The change since the same number of days before. */
export function Change({ now, before: then, days }: ChangeProps) {
  if (then === 0) return now === 0 ? `same as ${before(days)}` : `none in ${before(days)}`;
  // A percentage of a negative sum has no meaning. Refunds can make the spend negative.
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
      vs {before(days)}
    </>
  );
}
