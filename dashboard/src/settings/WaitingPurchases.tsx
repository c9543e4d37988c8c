import { Page } from '../ui/Page.tsx';

export function WaitingPurchases() {
  return <Page title="Waiting purchases">{null}</Page>;
}
