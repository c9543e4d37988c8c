import { Button } from '@mantine/core';
import type { ApiError } from '../../api/client.ts';
import { EmptyState, ErrorState } from '../../ui/States.tsx';

interface FailedProps {
  error: ApiError;
  onRetry: () => unknown;
  /** Removes the filters. */
  onReset: () => void;
}

/** The URL can contain invalid filters, such as a deleted venue or a range that ends before it starts. */
export function Failed({ error, onRetry, onReset }: FailedProps) {
  if (error.status !== 422) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <EmptyState
      title="This can’t be shown"
      action={
        <Button variant="default" mt="xs" onClick={onReset}>
          Show the last 30 days of all venues
        </Button>
      }
    >
      {error.fields.unit_id
        ? 'This venue was not found. It may have been deleted, or it belongs to another account.'
        : error.message}
    </EmptyState>
  );
}
