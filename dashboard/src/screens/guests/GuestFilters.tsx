import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Group as GuestGroup } from '#service/features/venues/groups/schema.ts';
import type { Channel } from '#service/shared/codes.ts';
import { getAll } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { unitsQuery } from '../venues/units.ts';
import { VenueSelect } from '../venues/VenueSelect.tsx';
import classes from './GuestFilters.module.css';
import { shownChannels } from './guest.ts';

const route = getRouteApi('/guard/accounts/$accountId/guests');

/** A value that is not the id of any group. */
const all = 0;

/** Filters the list by venue, by consent and by a group of that venue. */
export function GuestFilters({ more }: { more: ReactNode }) {
  const account = useAccount();
  const { unit_id, group_id, consent } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: units } = useQuery(unitsQuery(account));
  // With only one venue there is nothing to choose.
  const venue = unit_id ?? (units?.length === 1 ? units[0]?.id : undefined);
  const groups = useQuery({
    ...getAll<GuestGroup>(`${account.path}/groups`, { unit_id: venue }),
    enabled: venue !== undefined,
  });
  const setFilter = (by: { unit_id?: number; group_id?: number; consent?: Channel }) =>
    void navigate({ search: (now) => ({ ...now, ...by, page: undefined }), resetScroll: false });

  return (
    <div className={classes.filters}>
      <VenueSelect value={unit_id} onChange={(id) => setFilter({ unit_id: id, group_id: undefined })} />
      <Select<Channel | 'any'>
        aria-label="Consent"
        data={[
          { value: 'any', label: 'Any consent' },
          ...shownChannels.map(({ channel, name }) => ({ value: channel, label: `${name} allowed` })),
        ]}
        value={consent ?? 'any'}
        onChange={(channel) => setFilter({ consent: channel === 'any' || channel === null ? undefined : channel })}
        allowDeselect={false}
      />
      {venue !== undefined && (
        <Select<number>
          aria-label="Group"
          data={[
            { value: all, label: 'Any group' },
            ...(groups.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={group_id ?? all}
          onChange={(id) => setFilter({ group_id: id || undefined })}
          searchable
          allowDeselect={false}
          nothingFoundMessage="This venue has no such group"
        />
      )}
      {more}
      {(unit_id ?? group_id ?? consent) !== undefined && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() => setFilter({ unit_id: undefined, group_id: undefined, consent: undefined })}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}
