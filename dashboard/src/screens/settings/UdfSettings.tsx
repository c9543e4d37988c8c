import { LookupList } from './LookupList.tsx';

export function UdfSettings() {
  return (
    <LookupList
      title="User-defined fields"
      lead="Extra fields for guests. Partners send values by the field’s id."
      noun="field"
      table="udfs"
      empty="Add one for what matters to you, such as a favourite table, an allergy or an anniversary."
      deleteText="You can delete it only if no guest has a value in it. Later requests with its id are rejected."
      typed
    />
  );
}
