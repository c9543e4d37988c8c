import { Page } from '../ui/Page.tsx';

export function VouchersPage() {
  return <Page title="Vouchers">{null}</Page>;
}
