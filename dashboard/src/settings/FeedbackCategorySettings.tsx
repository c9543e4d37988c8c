import { builtInFeedbackCategories, idsOf } from '#service/shared/codes.ts';
import { LookupList } from './LookupList.tsx';

export function FeedbackCategorySettings() {
  return (
    <LookupList
      title="Feedback categories"
      lead="What a guest’s feedback is about. Those that are built in are the same in every account."
      noun="category"
      table="feedback_categories"
      empty="Make one for each thing that you want to hear about."
      afterwards="It can only be deleted while no feedback is about it. Requests that still name its id are refused."
      builtIn={idsOf(builtInFeedbackCategories)}
    />
  );
}
