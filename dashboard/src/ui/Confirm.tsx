import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useShowsError } from '../api/queries.ts';

interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  /** A question: "Delete The Anchor?" */
  title: string;
  /** The effects, and whether they can be undone. */
  children: ReactNode;
  /** The label of the button: "Delete venue", never "OK". Without it, the window can only be closed. */
  action: string | undefined;
  /** Whether the action deletes something. */
  danger?: boolean;
  /** The width, for long contents. */
  size?: 'lg' | 'xl' | undefined;
  /** Disables the button until something is loaded or typed. */
  disabled?: boolean;
  /** Runs the action. If it fails, the window stays open and shows the error. */
  onConfirm: () => Promise<unknown>;
}

/** Asks for confirmation before an action. */
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
  const confirming = useMutation({ mutationFn: onConfirm, meta: useShowsError(), onSuccess: close });
  function close() {
    confirming.reset();
    onClose();
  }
  // Closing does not cancel a running action, and the window shows its error, so it stays open.
  const cancel = () => confirming.isPending || close();
  return (
    <Modal
      opened={opened}
      onClose={cancel}
      closeButtonProps={{ 'aria-label': 'Close', disabled: confirming.isPending }}
      title={title}
      size={size}
      onExitTransitionEnd={keepFocus}
    >
      <Stack>
        <div>{children}</div>
        {confirming.error && <Alert color="red">{confirming.error.message}</Alert>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={confirming.isPending} onClick={cancel}>
            {action ? 'Cancel' : 'Close'}
          </Button>
          {action && (
            <Button
              color={danger ? 'red' : undefined}
              loading={confirming.isPending}
              disabled={disabled}
              onClick={() => confirming.mutate()}
            >
              {action}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** The action can delete the element that opened the window. Then the focus moves to the page title. */
function keepFocus() {
  setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true });
  }, 50);
}
