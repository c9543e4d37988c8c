import { Page } from '../ui/Page.tsx';

export function GuestPage() {
  return <Page title="Guest">{null}</Page>;
}
