import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useShownHere } from '../api/queries.ts';

interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  /** As a question: "Delete The Anchor?" */
  title: string;
  /** What will happen, and whether it can be undone. */
  children: ReactNode;
  /** What the button does: "Delete venue", never "OK". Without it there is nothing to do but to close the window. */
  action: string | undefined;
  /** It destroys something. */
  danger?: boolean;
  /** More room than a sentence or two need. */
  size?: 'lg' | 'xl' | undefined;
  /** The button waits, for what is still to be read or typed. */
  disabled?: boolean;
  /** Does it; the window stays open, and says why, where that fails. */
  onConfirm: () => Promise<unknown>;
}

/** Says what will happen before it does. */
export function Confirm({
  opened,
  onClose,
  title,
  children,
  action,
  danger = false,
  disabled = false,
  size,
  onConfirm,
}: ConfirmProps) {
  const doing = useMutation({ mutationFn: onConfirm, meta: useShownHere(), onSuccess: close });
  function close() {
    doing.reset();
    onClose();
  }
  // What has begun is not called off by closing the window, which is also where it says how it went.
  const cancel = () => doing.isPending || close();
  return (
    <Modal
      opened={opened}
      onClose={cancel}
      closeButtonProps={{ 'aria-label': 'Close', disabled: doing.isPending }}
      title={title}
      size={size}
      onExitTransitionEnd={keepFocus}
    >
      <Stack>
        <div>{children}</div>
        {doing.error && <Alert color="red">{doing.error.message}</Alert>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={doing.isPending} onClick={cancel}>
            {action ? 'Cancel' : 'Close'}
          </Button>
          {action && (
            <Button
              color={danger ? 'red' : undefined}
              loading={doing.isPending}
              disabled={disabled}
              onClick={() => doing.mutate()}
            >
              {action}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** What opened the window may be what it deleted: then the focus goes to the page's title rather than nowhere. */
function keepFocus() {
  setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true });
  }, 50);
}
