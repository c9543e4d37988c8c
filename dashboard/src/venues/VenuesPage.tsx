import { Page } from '../ui/Page.tsx';

export function VenuesPage() {
  return <Page title="Venues">{null}</Page>;
}
