import { Page } from '../ui/Page.tsx';

export function AuditTrail() {
  return <Page title="Audit trail">{null}</Page>;
}
