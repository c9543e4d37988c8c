import { Button, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useAccount } from '../../session/session.ts';
import { formatDays } from '../../ui/format.ts';
import { Page } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { ConsentRates } from './ConsentRates.tsx';
import { Failed } from './Failed.tsx';
import { Figures } from './Figures.tsx';
import { Filters } from './Filters.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import classes from './Home.module.css';
import { NpsFigures } from './NpsFigures.tsx';
import { hasNoActivity, hasNoData, overviewQuery, withoutEmptyStart } from './overview.ts';
import { type HomeSearch, rangeOf } from './range.ts';
import { Trends } from './Trends.tsx';
import { VenueFigures } from './VenueFigures.tsx';

const route = getRouteApi('/guard/accounts/$accountId/');

export function HomePage() {
  const account = useAccount();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = (chosen: HomeSearch) => void navigate({ search: chosen, resetScroll: false });
  const { data, error, refetch, isPlaceholderData } = useQuery(overviewQuery(account, search));
  const range = rangeOf(search, account.time_zone);
  if (data && hasNoData(data) && search.unit_id === undefined)
    return (
      <Page title="Home">
        <FirstSteps />
      </Page>
    );

  const overview = data && range.name === 'all' ? withoutEmptyStart(data) : data;
  const days = range.name === 'all' ? undefined : daysBetween(overview ?? range);
  const { from, to } = overview ?? range;
  const failed = error && (!data || isPlaceholderData);
  return (
    <Page
      title="Home"
      lead={!failed && (overview || range.name !== 'all' ? formatDays(from, to) : '\u00a0')}
      actions={<Filters range={range} unitId={search.unit_id} show={show} />}
    >
      {failed ? (
        <Panel>
          <Failed error={error} onRetry={refetch} onReset={() => void navigate({ search: {} })} />
        </Panel>
      ) : (
        <div className={classes.all} aria-busy={!data || isPlaceholderData} data-stale={isPlaceholderData || undefined}>
          <Figures overview={overview} search={search} range={range} days={days} />
          {overview && hasNoActivity(overview) ? (
            <Panel>
              <NoActivity />
            </Panel>
          ) : (
            <>
              {/* A single day needs no chart. */}
              {days !== 1 && <Trends overview={overview} range={range} />}
              {search.unit_id === undefined && <VenueFigures overview={overview} search={search} />}
            </>
          )}
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <ConsentRates overview={overview} unitId={search.unit_id} />
            <NpsFigures overview={overview} search={search} range={range} days={days} />
          </SimpleGrid>
        </div>
      )}
    </Page>
  );
}

const daysBetween = ({ from, to }: { from: string; to: string }) =>
  (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;

/** The empty state of a range without data. */
function NoActivity() {
  const navigate = route.useNavigate();
  const { range } = route.useSearch();
  return (
    <EmptyState
      title="No activity in these days"
      action={
        range !== 'all' && (
          <Button
            variant="default"
            mt="xs"
            onClick={() => void navigate({ search: ({ unit_id }) => ({ range: 'all', unit_id }) })}
          >
            Show the last 5 years
          </Button>
        )
      }
    >
      There are no new guests, visits, ratings or redeemed vouchers.
    </EmptyState>
  );
}
