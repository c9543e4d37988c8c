import type { ErrorComponentProps } from '@tanstack/react-router';
import { useRouter } from '@tanstack/react-router';
import { ApiError } from '../api/client.ts';
import { Page } from '../ui/Page.tsx';
import { ErrorState } from '../ui/States.tsx';

/** The page for a failed route. It shows messages of the service. Other errors are only in the console. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const shown = error instanceof ApiError ? error : new Error('Something went wrong on this page. Try to reload it.');
  return (
    <Page title="Something went wrong">
      <ErrorState
        error={shown}
        onRetry={async () => {
          await router.invalidate();
          reset();
        }}
      />
    </Page>
  );
}
