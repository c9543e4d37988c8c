import { LookupList } from './LookupList.tsx';

export function SourceSettings() {
  return (
    <LookupList
      title="Sources"
      lead="Where guests come from: the systems and forms that send them. Partners use the name or the id of a source."
      noun="source"
      table="sources"
      empty="A new source is added when a partner sends its name. You can also add it here first."
      deleteText="You can delete it only if no guest came from it. Later requests with its id are rejected. A request with its name adds it again."
    />
  );
}
