import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../../session/session.ts';
import { unitsQuery } from './units.ts';
import classes from './VenueSelect.module.css';

interface VenueSelectProps {
  className?: string;
  value: number | undefined;
  /** A deleted venue to choose from too. */
  deleted?: { id: number; name: string } | undefined;
  /** Undefined: all venues. */
  onChange: (unitId: number | undefined) => void;
}

/** A value that is not the id of any unit. */
const all = 0;

/** Selects a venue or all venues. Hidden if there is only one venue. */
export function VenueSelect({ className, value, deleted, onChange }: VenueSelectProps) {
  const { data: units } = useQuery(unitsQuery(useAccount()));
  if (units && units.length < 2 && value === undefined) return null;
  return (
    <Select<number>
      className={className}
      aria-label="Venue"
      data={[
        { value: all, label: 'All venues' },
        ...(units ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ...(deleted ? [{ value: deleted.id, label: `${deleted.name} (deleted)` }] : []),
      ]}
      value={value ?? all}
      placeholder={units && 'No such venue'}
      onChange={(chosen) => onChange(chosen === null || chosen === all ? undefined : chosen)}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No such venue"
      classNames={{ input: classes.chosen, options: classes.choices }}
      comboboxProps={{ width: 'max-content', position: 'bottom-end' }}
    />
  );
}
