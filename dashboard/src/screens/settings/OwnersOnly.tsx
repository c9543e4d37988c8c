import { Page } from '../../ui/Page.tsx';
import { EmptyState } from '../../ui/States.tsx';

/** Shown to users who open a page for owners. */
export function OwnersOnly({ title }: { title: string }) {
  return (
    <Page title={title}>
      <EmptyState title="Only owners can see this page">Ask an owner for what you need.</EmptyState>
    </Page>
  );
}
