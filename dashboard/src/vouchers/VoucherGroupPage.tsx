import { Page } from '../ui/Page.tsx';

export function VoucherGroupPage() {
  return <Page title="Voucher group">{null}</Page>;
}
