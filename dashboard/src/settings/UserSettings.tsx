import { Page } from '../ui/Page.tsx';

export function UserSettings() {
  return <Page title="Users">{null}</Page>;
}
