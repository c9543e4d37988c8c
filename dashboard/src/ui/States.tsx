import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import classes from './States.module.css';

interface EmptyStateProps {
  /** What is not there: "No guests yet". */
  title: string;
  /** Why, or what brings it about. */
  children?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}

/** Nothing to show, and what would change that. */
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

/** What happened, and a way to try again. */
export function ErrorState({ error, onRetry }: { error: Error; onRetry?: (() => unknown) | undefined }) {
  const gone = (error as ApiError).status === 404;
  return (
    <Stack align="center" gap="xs" className={classes.state} role="alert">
      <Text fw={500}>{gone ? 'This is not there' : 'This could not be loaded'}</Text>
      <Text c="dimmed" maw="28rem">
        {gone ? 'It may have been deleted, or belong to an account that is not yours.' : error.message}
      </Text>
      {onRetry && !gone && (
        <Button variant="default" mt="xs" onClick={() => void onRetry()}>
          Try again
        </Button>
      )}
    </Stack>
  );
}
