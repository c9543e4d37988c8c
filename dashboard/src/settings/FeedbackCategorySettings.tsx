import { Page } from '../ui/Page.tsx';

export function FeedbackCategorySettings() {
  return <Page title="Feedback categories">{null}</Page>;
}
