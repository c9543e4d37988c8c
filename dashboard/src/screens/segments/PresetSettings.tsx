import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Preset } from '#service/features/insight/segments/schema.ts';
import type { Definition } from '#service/shared/segment-fields.ts';
import classes from './Builder.module.css';
import { useBuilder } from './builder-context.ts';
import { NumberField } from './NumberField.tsx';

/** Null: nothing is typed. */
type Values = ReadonlyMap<string, number | null>;

interface PresetSettingsProps {
  of: Preset;
  onChange: (definition: Definition) => void;
}

/** The settings of a ready-made segment. */
export function PresetSettings({ of: preset, onChange }: PresetSettingsProps) {
  const { unit: units } = useBuilder().choices;
  const [values, setValues] = useState<Values>(() => new Map(preset.settings.map((one) => [one.name, one.default])));
  const set = (name: string, value: number | null) => {
    const next = new Map(values).set(name, value);
    setValues(next);
    if (preset.settings.every((setting) => isAllowed(setting, next.get(setting.name))))
      onChange(withSettings(preset, next));
  };
  if (preset.settings.length === 0) return null;
  return (
    <div className={classes.settings}>
      {preset.settings.map(({ name, label, type, min, max }) =>
        type === 'unit' ? (
          <NativeSelect
            key={name}
            className={classes.setting}
            label={label}
            data={(units ?? []).map((unit) => ({ value: String(unit.id), label: unit.name }))}
            value={String(values.get(name))}
            onChange={(event) => set(name, Number(event.currentTarget.value))}
          />
        ) : (
          <NumberField
            key={name}
            className={classes.setting}
            label={label}
            min={min ?? undefined}
            max={max ?? undefined}
            allowDecimal={type === 'number'}
            value={values.get(name) ?? null}
            onChange={(value) => set(name, value)}
          />
        ),
      )}
    </div>
  );
}

const isAllowed = ({ min, max }: Preset['settings'][number], value: number | null | undefined) =>
  typeof value === 'number' && value >= (min ?? value) && value <= (max ?? value);

/** The definition with these values in the places that the settings name. */
function withSettings({ definition, settings }: Preset, values: Values): Definition {
  const copy = structuredClone(definition);
  for (const { name, paths } of settings) {
    for (const path of paths) {
      const steps = path.split('/').slice(1);
      const last = steps.pop() ?? '';
      // A JSON Pointer leads through objects and arrays alike.
      const place = steps.reduce((at, step) => at[step] as Record<string, unknown>, copy as Record<string, unknown>);
      place[last] = values.get(name);
    }
  }
  return copy;
}
