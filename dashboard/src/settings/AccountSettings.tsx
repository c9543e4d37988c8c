import { Page } from '../ui/Page.tsx';

export function AccountSettings() {
  return <Page title="Account">{null}</Page>;
}
