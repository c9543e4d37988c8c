import { Page } from '../ui/Page.tsx';

export function DuplicatesPage() {
  return <Page title="Possible duplicates">{null}</Page>;
}
