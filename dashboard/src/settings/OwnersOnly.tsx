import { Page } from '../ui/Page.tsx';
import { EmptyState } from '../ui/States.tsx';

/** For somebody who came by an address that is not for them. */
export function OwnersOnly({ title }: { title: string }) {
  return (
    <Page title={title}>
      <EmptyState title="Only owners can see this">Ask one of them for what you need.</EmptyState>
    </Page>
  );
}
