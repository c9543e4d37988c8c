import { LookupList } from './LookupList.tsx';

export function SourceSettings() {
  return (
    <LookupList
      title="Sources"
      lead="Where guests come from: the systems and forms that send them, by the source’s name or id."
      noun="source"
      table="sources"
      empty="A partner that sends a guest with a source’s name makes it; or make it here beforehand."
      afterwards="It can only be deleted while no guest came from it. Requests that still name its id are refused; those that send its name make it anew."
    />
  );
}
