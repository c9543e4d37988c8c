import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  /** Null: nothing is typed. */
  value: number | null;
  onChange: (value: number | null) => void;
}

/** A field for a number. It keeps the text as typed, because "2." and "2.50" are on the way to a number. */
export function NumberField({ value, onChange, ...rest }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | number>(value ?? '');
  return (
    <NumberInput
      value={numberIn(typed) === value ? typed : (value ?? '')}
      onChange={(next) => {
        setTyped(next);
        onChange(numberIn(next));
      }}
      {...rest}
    />
  );
}

function numberIn(typed: string | number): number | null {
  return typed === '' || !Number.isFinite(Number(typed)) ? null : Number(typed);
}
