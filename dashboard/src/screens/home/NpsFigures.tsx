import { Progress, Skeleton, Text } from '@mantine/core';
import type { Nps } from '#service/features/insight/overview/schema.ts';
import { formatDays, formatNumber, formatPercent, formatSigned, withCount } from '../../ui/format.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Swatch } from '../../ui/Swatch.tsx';
import { TimeChart } from '../../ui/TimeChart.tsx';
import { before } from './Change.tsx';
import classes from './Home.module.css';
import type { Overview } from './overview.ts';
import type { Range } from './range.ts';

const parts = [
  { key: 'promoters', label: 'Promoters', gave: '9 or 10', color: 'var(--good)' },
  { key: 'passives', label: 'Passives', gave: '7 or 8', color: 'var(--neither)' },
  { key: 'detractors', label: 'Detractors', gave: '6 or less', color: 'var(--bad)' },
] as const;

const scoreOf = ({ score }: Nps) => (score === null ? '–' : formatSigned(score));

/** ", +3 points vs the 30 days before" */
function changeText(now: Nps, then: Nps, days: number): string {
  if (now.score === null || then.score === null) return '';
  return `, ${formatSigned(now.score - then.score)} points vs ${before(days)}`;
}

/** The net promoter score, its parts, and its course over time. */
export function NpsFigures({ overview, range, days }: { overview: Overview | undefined; range: Range; days?: number }) {
  const { from, to } = overview ?? range;
  const nps = overview?.nps;
  return (
    <Panel title="Net promoter score" lead="Promoters minus detractors, in percent of the ratings.">
      {nps?.answers === 0 ? (
        <Text c="dimmed">No ratings for {formatDays(from, to)}.</Text>
      ) : (
        <>
          <div className={classes.score}>
            {nps ? <b>{scoreOf(nps)}</b> : <Skeleton height="2rem" width="4rem" />}
            <Text c="dimmed" size="sm" component="span">
              {nps && withCount(nps.answers, 'answer')}
              {nps && days && changeText(nps, nps.before, days)}
            </Text>
          </div>
          <Progress.Root size="md" aria-hidden>
            {parts.map(({ key, color }) => (
              <Progress.Section key={key} value={nps ? (100 * nps[key]) / nps.answers : 0} color={color} />
            ))}
          </Progress.Root>
          <ul className={classes.legend}>
            {parts.map(({ key, label, gave, color }) => (
              <li key={key} title={`Gave ${gave}`}>
                <Swatch color={color} />
                {label}
                <b>{nps ? formatNumber(nps[key]) : '\u00a0'}</b>
                <Text component="span" inherit c="dimmed">
                  {nps && formatPercent(nps[key] / nps.answers)}
                </Text>
              </li>
            ))}
          </ul>
          {days !== 1 && (
            <TimeChart
              label="Net promoter score"
              kind="bars"
              bucket={overview?.bucket ?? 'day'}
              to={to}
              points={nps?.series}
              series={[...parts]}
              more={{ label: 'Score', of: scoreOf }}
              empty=""
              withoutLegend
              height={160}
            />
          )}
        </>
      )}
    </Panel>
  );
}
