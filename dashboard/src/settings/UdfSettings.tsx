import { LookupList } from './LookupList.tsx';

export function UdfSettings() {
  return (
    <LookupList
      title="User-defined fields"
      lead="What you want to know of a guest beyond the usual. Partners send values by the field’s id."
      noun="field"
      table="udfs"
      empty="Make one for whatever matters to you: a favourite table, an allergy, an anniversary."
      afterwards="It can only be deleted while no guest has a value in it. Requests that still name its id are refused."
      typed
    />
  );
}
