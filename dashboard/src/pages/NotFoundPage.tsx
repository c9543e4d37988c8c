import { Page, TextLink } from '../ui/Page.tsx';
import { EmptyState } from '../ui/States.tsx';

/** For an address that leads nowhere, or to an account that one may not see. */
export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState title="There is nothing at this address" action={<TextLink to="/">Go to the start page</TextLink>}>
        It may have been mistyped, or what was here is gone, or it belongs to an account that is not yours.
      </EmptyState>
    </Page>
  );
}
