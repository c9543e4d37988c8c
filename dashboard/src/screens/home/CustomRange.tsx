import '@mantine/dates/styles.layer.css';
import { DatePickerInput } from '@mantine/dates';
import { useId, useState } from 'react';
import { useAccount } from '../../session/session.ts';
import { formatDays, today } from '../../ui/format.ts';
import classes from './Home.module.css';

interface CustomRangeProps {
  from: string;
  to: string;
  onChange: (from: string, to: string) => void;
}

/** Chooses a range of days, both included. */
export default function CustomRange({ from, to, onChange }: CustomRangeProps) {
  const { time_zone } = useAccount();
  /** Set while only the first day is chosen. */
  const [begun, begin] = useState<string | null>(null);
  // The calendar gets the field's label only if both have the same id.
  const id = useId();
  return (
    <DatePickerInput
      id={id}
      type="range"
      className={classes.filter}
      data-wide
      aria-label={`Days: ${formatDays(from, to)}`}
      allowSingleDateInRange
      value={begun === null ? [from, to] : [begun, null]}
      onChange={([first, last]) => {
        begin(last === null ? first : null);
        if (first !== null && last !== null) onChange(first, last);
      }}
      maxDate={today(time_zone)}
      valueFormatter={() => (begun === null ? formatDays(from, to) : `${formatDays(begun, begun)} – …`)}
      hideOutsideDates
      weekendDays={[]}
      ariaLabels={{
        previousMonth: 'Previous month',
        nextMonth: 'Next month',
        previousYear: 'Previous year',
        nextYear: 'Next year',
        previousDecade: 'Previous decade',
        nextDecade: 'Next decade',
      }}
      popoverProps={{ id, withinPortal: false, position: 'bottom-end', onClose: () => begin(null) }}
    />
  );
}
