import { Page, TextLink } from '../../ui/Page.tsx';
import { EmptyState } from '../../ui/States.tsx';

/** For an unknown path, or an account without access. */
export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState title="This page does not exist" action={<TextLink to="/">Go to the start page</TextLink>}>
        Check the address. The page may have been deleted, or it belongs to an account that you can’t access.
      </EmptyState>
    </Page>
  );
}
