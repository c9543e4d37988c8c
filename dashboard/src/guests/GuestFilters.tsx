import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Group as GuestGroup } from '#service/groups/schema.ts';
import type { Unit } from '#service/units/schema.ts';
import { getAll } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import classes from './GuestFilters.module.css';
import { type Channel, channels } from './guest.ts';

const route = getRouteApi('/guard/accounts/$accountId/guests');

/** Narrows the list: by venue, by a group of that venue, by consent. */
export function GuestFilters() {
  const { path } = useAccount();
  const { unit_id, group_id, consent } = route.useSearch();
  const navigate = route.useNavigate();
  const units = useQuery(getAll<Unit>(`${path}/units`));
  const groups = useQuery({ ...getAll<GuestGroup>(`${path}/groups`, { unit_id }), enabled: unit_id !== undefined });
  const narrow = (by: { unit_id?: number; group_id?: number; consent?: Channel }) =>
    void navigate({ search: (now) => ({ ...now, ...by, page: undefined }), resetScroll: false });

  return (
    <div className={classes.filters}>
      <Select
        aria-label="Venue"
        placeholder="Any venue"
        data={units.data?.map(choice) ?? []}
        value={unit_id === undefined ? null : String(unit_id)}
        onChange={(id) => narrow({ unit_id: idOf(id), group_id: undefined })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Any venue' }}
        nothingFoundMessage="No such venue"
        {...inPlace}
      />
      <Select
        aria-label="Consent"
        placeholder="Any consent"
        data={channels.map(({ channel, name }) => ({ value: channel, label: `${name} allowed` }))}
        value={consent ?? null}
        onChange={(channel) => narrow({ consent: channel ?? undefined })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any consent' }}
        {...inPlace}
      />
      {/* A group is one of a venue's. */}
      {unit_id !== undefined && (
        <Select
          aria-label="Group"
          placeholder="Any group"
          data={groups.data?.map(choice) ?? []}
          value={group_id === undefined ? null : String(group_id)}
          onChange={(id) => narrow({ group_id: idOf(id) })}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Any group' }}
          nothingFoundMessage="This venue has no such group"
          {...inPlace}
        />
      )}
      {(unit_id ?? group_id ?? consent) !== undefined && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() => narrow({ unit_id: undefined, group_id: undefined, consent: undefined })}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** Their lists belong to the page's main part, as everything else on it. */
const inPlace = { comboboxProps: { withinPortal: false } };
const choice = ({ id, name }: { id: number; name: string }) => ({ value: String(id), label: name });
const idOf = (id: string | null) => (id === null ? undefined : Number(id));
