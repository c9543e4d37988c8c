import { Page } from '../ui/Page.tsx';

export function GuestsPage() {
  return <Page title="Guests">{null}</Page>;
}
