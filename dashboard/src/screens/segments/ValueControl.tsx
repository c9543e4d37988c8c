import { MultiSelect, NativeSelect, TextInput } from '@mantine/core';
import { maxDays, maxIds, type Op } from '#service/shared/segment-fields.ts';
import classes from './Builder.module.css';
import { useBuilder } from './builder-context.ts';
import { type DraftCondition, type DraftValue, shapeOf } from './draft.ts';
import { NumberField } from './NumberField.tsx';
import type { NamedKind } from './sentence.ts';
import { genders, months } from './words.ts';

interface ValueControlProps {
  of: DraftCondition;
  op: Op;
  isInvalid: boolean;
  onChange: (value: DraftValue) => void;
}

/** The control for the value of a condition. */
export function ValueControl({ of: { field, value }, op, isInvalid, onChange }: ValueControlProps) {
  switch (shapeOf(field, op)) {
    case 'none':
      return null;
    case 'flag':
      return (
        <NativeSelect
          aria-label="Yes or no"
          data={[
            { value: 'true', label: 'yes' },
            { value: 'false', label: 'no' },
          ]}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value === 'true')}
        />
      );
    case 'gender':
      return (
        <NativeSelect
          aria-label="Gender"
          data={genders}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'month':
      return (
        <NativeSelect
          aria-label="Month"
          data={months.map((label, n) => ({ value: String(n + 1), label }))}
          value={String(value)}
          onChange={(event) => onChange(Number(event.currentTarget.value))}
        />
      );
    case 'date':
      return (
        <TextInput
          className={classes.date}
          type="date"
          aria-label="Date"
          error={isInvalid}
          min="1900-01-01"
          max="2199-12-31"
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'text':
      return (
        <TextInput
          className={classes.text}
          aria-label="Text"
          error={isInvalid}
          maxLength={255}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'ids':
      return (
        <Ids
          kind={field as NamedKind}
          value={Array.isArray(value) ? value.map(Number) : []}
          isInvalid={isInvalid}
          onChange={onChange}
        />
      );
    case 'days':
      return (
        <span className={classes.pair}>
          <Amount label="Days" value={value} field="days" isInvalid={isInvalid} onChange={onChange} />
          <span className={classes.words}>days</span>
        </span>
      );
    case 'range': {
      const [low = null, high = null] = Array.isArray(value) ? value : [];
      return (
        <span className={classes.pair}>
          <Amount
            label="Lowest"
            value={low}
            field={field}
            isInvalid={isInvalid}
            onChange={(one) => onChange([one, high])}
          />
          <span className={classes.words}>and</span>
          <Amount
            label="Highest"
            value={high}
            field={field}
            isInvalid={isInvalid}
            onChange={(one) => onChange([low, one])}
          />
        </span>
      );
    }
    default:
      return <Amount label="Number" value={value} field={field} isInvalid={isInvalid} onChange={onChange} />;
  }
}

interface AmountProps {
  label: string;
  value: DraftValue;
  field: string;
  isInvalid: boolean;
  onChange: (value: number | null) => void;
}

/** A number, days or an amount of money. */
function Amount({ label, value, field, isInvalid, onChange }: AmountProps) {
  const isMoney = field === 'spend' || field === 'average_spend';
  return (
    <NumberField
      className={classes.number}
      data-wide={isMoney || undefined}
      aria-label={label}
      error={isInvalid}
      hideControls
      allowDecimal={isMoney || field === 'nps'}
      decimalScale={2}
      // Refunds can be greater than purchases.
      allowNegative={isMoney}
      {...(field === 'days' ? { max: maxDays } : {})}
      value={typeof value === 'number' ? value : null}
      onChange={onChange}
    />
  );
}

const nouns: Partial<Record<NamedKind, string>> = {
  unit: 'Venues',
  group: 'Groups',
  source: 'Sources',
  segment: 'Segments',
};

interface IdsProps {
  kind: NamedKind;
  value: number[];
  isInvalid: boolean;
  onChange: (ids: number[]) => void;
}

function Ids({ kind, value, isInvalid, onChange }: IdsProps) {
  const list = useBuilder().choices[kind];
  const noun = nouns[kind] ?? '';
  const known = (list ?? []).map(({ id, name, of }) => ({ value: String(id), label: name, of }));
  // An id that was deleted stays visible, so that it can be removed.
  const lost = list ? value.filter((id) => !list.some((one) => one.id === id)) : [];
  const venues = [...new Set(known.map(({ of = '' }) => of))];
  const byVenue = venues.map((group) => ({ group, items: known.filter(({ of = '' }) => of === group) }));
  return (
    <MultiSelect
      className={classes.many}
      aria-label={noun}
      error={isInvalid}
      placeholder={value.length === 0 ? `choose ${noun.toLowerCase()}` : undefined}
      data={[
        ...(kind === 'group' ? byVenue : known),
        ...lost.map((id) => ({ value: String(id), label: `deleted (${id})` })),
      ]}
      value={list ? value.map(String) : []}
      onChange={(ids) => onChange(ids.map(Number))}
      maxValues={maxIds}
      searchable
      nothingFoundMessage={`No ${noun.toLowerCase()} found`}
    />
  );
}
