import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';

interface CopyButtonProps extends ButtonProps {
  value: string;
  /** The name of the text, for the button's label: "Copy token". */
  what: string;
}

/** Copies a text and confirms it. */
export function CopyButton({ value, what, ...rest }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 2000 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon size={14} aria-hidden />}
        onClick={() => clipboard.copy(value)}
        {...rest}
      >
        {clipboard.copied ? 'Copied' : `Copy ${what}`}
      </Button>
      <VisuallyHidden aria-live="polite">{clipboard.copied ? `The ${what} is copied.` : ''}</VisuallyHidden>
    </>
  );
}
