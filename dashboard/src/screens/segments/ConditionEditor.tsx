import { ActionIcon, MultiSelect, NativeSelect } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useEffect, useId, useRef } from 'react';
import { fieldOf, maxDays, maxIds, type Op, udfIdOf } from '#service/shared/segment-fields.ts';
import { capitalise } from '../../ui/format.ts';
import classes from './Builder.module.css';
import { useBuilder } from './builder-context.ts';
import { type DraftCondition, opsOf, withField, withOp } from './draft.ts';
import { NotToggle } from './NotToggle.tsx';
import { NumberField } from './NumberField.tsx';
import { Problem } from './Problem.tsx';
import { ValueControl } from './ValueControl.tsx';
import { fieldWords, leadOf, opWord, unitOfField } from './words.ts';

interface ConditionEditorProps {
  of: DraftCondition;
  /** "Guests", "and" or "or". */
  joint: string;
  /** Whether any of the group's conditions is enough. */
  isAny: boolean;
  groupId: number;
  number: string;
}

/** One condition as a row of controls: "and who [visited] [at least] [3] times at [The Anchor] [at any time]". */
export function ConditionEditor({ of: condition, joint, isAny, groupId, number }: ConditionEditorProps) {
  const { change, remove, problems, choices, toFocus } = useBuilder();
  const first = useRef<HTMLSelectElement>(null);
  const problemId = useId();
  const { id, field, op, not } = condition;
  useEffect(() => {
    if (toFocus.current !== id) return;
    toFocus.current = undefined;
    first.current?.focus();
  }, [id, toFocus]);
  const set = (next: DraftCondition) => change(id, () => next);
  const typeOf = (name: string) => {
    const udfId = udfIdOf(name);
    return udfId === undefined ? undefined : (choices.udf?.find((udf) => udf.id === udfId)?.type ?? 'text');
  };
  const takes = fieldOf(field);
  const ops = opsOf(field, typeOf(field));
  const name = `condition ${number}`;
  const problem = problems.get(id);
  return (
    <fieldset
      className={classes.condition}
      data-part={id}
      aria-label={capitalise(name)}
      aria-describedby={problem === undefined ? undefined : problemId}
    >
      <span className={classes.lead}>{leadText(joint, leadOf(field), not, isAny)}</span>
      <div className={classes.controls}>
        <NativeSelect
          ref={first}
          aria-label="Condition"
          error={problem !== undefined && field === ''}
          value={field}
          onChange={(event) => set(withField(condition, event.currentTarget.value, typeOf(event.currentTarget.value)))}
        >
          <FieldOptions field={field} />
        </NativeSelect>
        {op && ops.length > 1 && (
          <NativeSelect
            aria-label="Comparison"
            data={ops.map((one) => ({ value: one, label: opWord(field, one) }))}
            value={op}
            onChange={(event) => set(withOp(condition, event.currentTarget.value as Op))}
          />
        )}
        {op && (
          <ValueControl
            of={condition}
            op={op}
            isInvalid={problem !== undefined}
            onChange={(value) => set({ ...condition, value })}
          />
        )}
        {op && field in unitOfField && (
          <span className={classes.words}>{unitOfField[field as keyof typeof unitOfField]}</span>
        )}
        {takes?.takesUnits && (
          <Venues value={condition.unit_ids} onChange={(unit_ids) => set({ ...condition, unit_ids })} />
        )}
        {takes?.takesDays && (
          <Period value={condition.in_last_days} onChange={(in_last_days) => set({ ...condition, in_last_days })} />
        )}
      </div>
      <span className={classes.tools}>
        <NotToggle of={name} value={not} onChange={(value) => set({ ...condition, not: value })} />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={`Remove ${name}`}
          onClick={() => remove(id, groupId)}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </span>
      <Problem of={problem} id={problemId} />
    </fieldset>
  );
}

/** "and who", "but not those who". */
function leadText(joint: string, lead: 'who' | 'whose', not: boolean, isAny: boolean): string {
  if (!not) return `${joint} ${lead}`.trim();
  if (joint === 'and') return `but not those ${lead}`;
  if (joint === 'or' || isAny) return `${joint} all except those ${lead}`.trim();
  return `${joint} except those ${lead}`.trim();
}

const fields = Object.entries(fieldWords);
const fieldGroups = [...new Set(fields.map(([, { group }]) => group))];

/** The fields in their groups. The account's own fields are after the profile. */
function FieldOptions({ field }: { field: string }) {
  const { udf: udfs } = useBuilder().choices;
  const udfId = udfIdOf(field);
  const isLost = udfId !== undefined && udfs !== undefined && !udfs.some(({ id }) => id === udfId);
  return (
    <>
      <option value="" disabled hidden>
        choose…
      </option>
      {fieldGroups.map((group) => (
        <optgroup key={group} label={group}>
          {fields
            .filter(([, words]) => words.group === group)
            .map(([name, { choice }]) => (
              <option key={name} value={name}>
                {choice}
              </option>
            ))}
        </optgroup>
      ))}
      {((udfs && udfs.length > 0) || udfId !== undefined) && (
        <optgroup label="Custom fields">
          {udfs?.map(({ id, name }) => (
            <option key={id} value={`udf:${id}`}>
              {name}
            </option>
          ))}
          {(isLost || (udfId !== undefined && !udfs)) && (
            <option value={field}>{isLost ? 'a deleted field' : '…'}</option>
          )}
        </optgroup>
      )}
    </>
  );
}

/** Only activity at these venues. Hidden if there is only one venue. */
function Venues({ value, onChange }: { value: number[]; onChange: (ids: number[]) => void }) {
  const { unit: units } = useBuilder().choices;
  if (units && units.length < 2 && value.length === 0) return null;
  return (
    <span className={classes.pair}>
      <span className={classes.words}>at</span>
      <MultiSelect
        className={classes.many}
        aria-label="Venues"
        placeholder={value.length === 0 ? 'any venue' : undefined}
        data={(units ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
        value={value.map(String)}
        onChange={(ids) => onChange(ids.map(Number))}
        maxValues={maxIds}
        searchable
        nothingFoundMessage="No such venue"
      />
    </span>
  );
}

/** Only activity of the last days. */
function Period({
  value,
  onChange,
}: {
  value: number | null | undefined;
  onChange: (days: number | null | undefined) => void;
}) {
  return (
    <span className={classes.pair}>
      <NativeSelect
        aria-label="Period"
        data={[
          { value: 'always', label: 'at any time' },
          { value: 'last', label: 'in the last' },
        ]}
        value={value === undefined ? 'always' : 'last'}
        onChange={(event) => onChange(event.currentTarget.value === 'always' ? undefined : 90)}
      />
      {value !== undefined && (
        <>
          <NumberField
            className={classes.number}
            aria-label="Days of the period"
            error={value === null}
            hideControls
            allowDecimal={false}
            allowNegative={false}
            max={maxDays}
            value={value}
            onChange={onChange}
          />
          <span className={classes.words}>days</span>
        </>
      )}
    </span>
  );
}
