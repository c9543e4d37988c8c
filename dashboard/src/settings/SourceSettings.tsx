import { Page } from '../ui/Page.tsx';

export function SourceSettings() {
  return <Page title="Sources">{null}</Page>;
}
