import { Button } from '@mantine/core';

interface NotToggleProps {
  /** The name of the condition. */
  of: string;
  value: boolean;
  onChange: (value: boolean) => void;
}

/** Negates a condition. */
export function NotToggle({ of, value, onChange }: NotToggleProps) {
  return (
    <Button
      variant={value ? 'light' : 'subtle'}
      color={value ? 'red' : 'gray'}
      size="xs"
      px="xs"
      aria-label={`Not: ${of}`}
      aria-pressed={value}
      onClick={() => onChange(!value)}
    >
      Not
    </Button>
  );
}
