import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Figures } from '#service/features/figures/schema.ts';
import { get } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { Details } from '../../ui/Details.tsx';
import { formatDay, formatMoney, formatNumber, withCount } from '../../ui/format.ts';
import { Panel } from '../../ui/Panel.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { unitsQuery } from '../venues/units.ts';
import classes from './GuestFigures.module.css';

/** The visits and the spend of a guest, in total and by venue. */
export function GuestFigures({ id }: { id: number }) {
  const account = useAccount();
  const { data, error, refetch } = useQuery(get<Figures>(`${account.path}/contacts/${id}/figures`));
  return (
    <Panel title="Figures">
      {error && !data ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : data ? (
        <Shown figures={data} />
      ) : (
        <Skeleton height="8rem" />
      )}
    </Panel>
  );
}

function Shown({ figures }: { figures: Figures }) {
  const { visits, spend, average_spend, first_visit, last_visit, by_unit } = figures;
  if (visits === 0 && spend === 0) return <Text c="dimmed">No visits yet.</Text>;
  return (
    <Stack gap="md">
      <Details
        rows={[
          ['Visits', formatNumber(visits)],
          ['Spent', formatMoney(spend)],
          ['Average', average_spend === null ? '' : `${formatMoney(average_spend)} per visit with a purchase`],
          ['First visit', first_visit && formatDay(first_visit)],
          ['Last visit', last_visit && formatDay(last_visit)],
        ]}
      />
      {by_unit.length > 0 && <ByVenue figures={by_unit} />}
    </Stack>
  );
}

function ByVenue({ figures }: { figures: Figures['by_unit'] }) {
  const { data: units } = useQuery(unitsQuery(useAccount()));
  const nameOf = (id: number) => (units ? (units.find((unit) => unit.id === id)?.name ?? 'A deleted venue') : '…');
  return (
    <div>
      <Text size="sm" c="dimmed" id="figures-by-venue">
        By venue
      </Text>
      <ul className={classes.venues} aria-labelledby="figures-by-venue">
        {figures.map(({ unit_id, visits, spend, last_visit }) => (
          <li key={unit_id}>
            <span>{nameOf(unit_id)}</span>
            <Text component="span" size="sm" c="dimmed">
              {[withCount(visits, 'visit'), formatMoney(spend), last_visit && `last ${formatDay(last_visit)}`]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </li>
        ))}
      </ul>
    </div>
  );
}
