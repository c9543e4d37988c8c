import { Page } from '../ui/Page.tsx';

export function UdfSettings() {
  return <Page title="User-defined fields">{null}</Page>;
}
