import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';

/** Shown to viewers who open the address of the builder. */
export function StaffOnly() {
  return (
    <Panel>
      <EmptyState title="Only staff and owners can change segments">Ask an owner for the role of staff.</EmptyState>
    </Panel>
  );
}
