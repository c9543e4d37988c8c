import { builtInFeedbackCategories, idsOf } from '#service/shared/codes.ts';
import { LookupList } from './LookupList.tsx';

export function FeedbackCategorySettings() {
  return (
    <LookupList
      title="Feedback categories"
      lead="The topics of guest feedback. The built-in ones are the same in every account."
      noun="category"
      table="feedback_categories"
      empty="Add one for each topic that you want to hear about."
      deleteText="You can delete it only if no feedback uses it. Later requests with its id are rejected."
      builtIn={idsOf(builtInFeedbackCategories)}
    />
  );
}
