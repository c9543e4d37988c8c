import { Progress, Skeleton, Text } from '@mantine/core';
import type { Nps } from '#service/features/insight/overview/schema.ts';
import { formatDays, formatNumber, formatPercent, formatSigned, withCount } from '../../ui/format.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Swatch } from '../../ui/Swatch.tsx';
import { TimeChart } from '../../ui/TimeChart.tsx';
import { npsWords } from './activity/activity.ts';
import { before } from './Change.tsx';
import classes from './Home.module.css';
import { ActivityLink } from './NumberLinks.tsx';
import type { Overview } from './overview.ts';
import type { HomeSearch, Range } from './range.ts';

const parts = [
  { key: 'promoters', ...npsWords.promoters, gave: '9 or 10', color: 'var(--good)' },
  { key: 'passives', ...npsWords.passives, gave: '7 or 8', color: 'var(--neither)' },
  { key: 'detractors', ...npsWords.detractors, gave: '6 or less', color: 'var(--bad)' },
] as const;

const scoreOf = ({ score }: Nps) => (score === null ? '–' : formatSigned(score));

/** ", +3 points vs the 30 days before" */
function changeText(now: Nps, then: Nps, days: number): string {
  if (now.score === null || then.score === null) return '';
  return `, ${formatSigned(now.score - then.score)} points vs ${before(days)}`;
}

interface NpsFiguresProps {
  overview: Overview | undefined;
  search: HomeSearch;
  range: Range;
  days?: number | undefined;
}

/** The net promoter score, its parts, and its course over time. */
export function NpsFigures({ overview, search, range, days }: NpsFiguresProps) {
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
              {nps && (
                <ActivityLink
                  search={{ ...search, kind: 'ratings' }}
                  name={`${withCount(nps.answers, 'answer')}, show ${nps.answers === 1 ? 'it' : 'them'}`}
                >
                  {withCount(nps.answers, 'answer')}
                </ActivityLink>
              )}
              {nps && days && changeText(nps, nps.before, days)}
            </Text>
          </div>
          <Progress.Root size="md" aria-hidden>
            {parts.map(({ key, color }) => (
              <Progress.Section key={key} value={nps ? (100 * nps[key]) / nps.answers : 0} color={color} />
            ))}
          </Progress.Root>
          <ul className={classes.legend}>
            {parts.map(({ key, label, one, gave, color }) => (
              <li key={key} title={`Gave ${gave}`}>
                <Swatch color={color} />
                {label}
                <b>
                  {nps ? (
                    <ActivityLink
                      search={{ ...search, kind: 'ratings', nps: key }}
                      name={`${withCount(nps[key], one)}, show ${nps[key] === 1 ? 'it' : 'them'}`}
                    >
                      {formatNumber(nps[key])}
                    </ActivityLink>
                  ) : (
                    '\u00a0'
                  )}
                </b>
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
