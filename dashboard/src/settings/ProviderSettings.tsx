import { LookupList } from './LookupList.tsx';

export function ProviderSettings() {
  return (
    <LookupList
      title="Providers"
      lead="Partners whose bookings, stays and purchases come in. The id tells one’s references from another’s."
      noun="provider"
      table="providers"
      empty="Make one for each partner, such as the maker of your tills."
      afterwards="Bookings, stays and purchases that came from it stay, and keep its id."
    />
  );
}
