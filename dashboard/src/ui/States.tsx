import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import classes from './States.module.css';

interface EmptyStateProps {
  /** What is missing: "No guests yet". */
  title: string;
  /** The reason, or how the data gets here. */
  children?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}

/** The empty state of a list or page. */
export function EmptyState({ title, children, action, icon }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" className={classes.state}>
      {icon && (
        <span className={classes.icon} aria-hidden>
          {icon}
        </span>
      )}
      <Text fw={500}>{title}</Text>
      {children && (
        <Text c="dimmed" component="div" maw="28rem">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}

/** An error with a retry button. */
export function ErrorState({ error, onRetry }: { error: Error; onRetry?: (() => unknown) | undefined }) {
  const gone = (error as ApiError).status === 404;
  return (
    <Stack align="center" gap="xs" className={classes.state} role="alert">
      <Text fw={500}>{gone ? 'Not found' : 'This could not be loaded'}</Text>
      <Text c="dimmed" maw="28rem">
        {gone ? 'It may have been deleted, or it belongs to an account that you can’t access.' : error.message}
      </Text>
      {onRetry && !gone && (
        <Button variant="default" mt="xs" onClick={() => void onRetry()}>
          Try again
        </Button>
      )}
    </Stack>
  );
}
