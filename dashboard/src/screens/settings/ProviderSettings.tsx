import { LookupList } from './LookupList.tsx';

export function ProviderSettings() {
  return (
    <LookupList
      title="Providers"
      lead="Partners that send bookings, stays and purchases. The provider id keeps the references of different partners apart."
      noun="provider"
      table="providers"
      empty="Add one for each partner, such as the maker of your tills."
      deleteText="Its bookings, stays and purchases stay and keep its id."
    />
  );
}
