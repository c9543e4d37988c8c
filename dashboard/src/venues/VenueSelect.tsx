import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../session/session.ts';
import { unitsQuery } from './units.ts';

interface VenueSelectProps {
  value: number | undefined;
  /** Undefined: all of them. */
  onChange: (unitId: number | undefined) => void;
}

/** One of the account's venues, or all. Not there where there is only one. */
export function VenueSelect({ value, onChange }: VenueSelectProps) {
  const { data: units } = useQuery(unitsQuery(useAccount()));
  if (units && units.length < 2 && value === undefined) return null;
  return (
    <Select<number>
      aria-label="Venue"
      placeholder="All venues"
      data={(units ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All venues' }}
      nothingFoundMessage="No such venue"
      maxDropdownHeight={320}
      comboboxProps={{ width: 'max-content', position: 'bottom-end' }}
    />
  );
}
