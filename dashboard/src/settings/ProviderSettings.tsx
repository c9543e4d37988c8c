import { Page } from '../ui/Page.tsx';

export function ProviderSettings() {
  return <Page title="Providers">{null}</Page>;
}
