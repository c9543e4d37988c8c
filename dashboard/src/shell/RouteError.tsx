import type { ErrorComponentProps } from '@tanstack/react-router';
import { useRouter } from '@tanstack/react-router';
import { ApiError } from '../api/client.ts';
import { Page } from '../ui/Page.tsx';
import { ErrorState } from '../ui/States.tsx';

/** A page that failed as a whole. What the service said is shown; a fault of ours is not, but it is in the console. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const shown =
    error instanceof ApiError ? error : new Error('Something went wrong on this page. Loading it again may help.');
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
