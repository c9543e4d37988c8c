import { useQuery } from '@tanstack/react-query';
import type { Segment } from '#service/features/insight/segments/schema.ts';
import type { Venue } from '#service/features/insight/venues/schema.ts';
import type { Lookup } from '#service/features/venues/lookups/schema.ts';
import { conditionsOf, type Definition, udfIdOf } from '#service/shared/segment-fields.ts';
import { getAll } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { unitsQuery } from '../venues/units.ts';
import { segmentsPath } from './paths.ts';
import type { NamedKind, NameOf } from './sentence.ts';

const missing: Record<NamedKind, string> = {
  unit: 'a deleted venue',
  group: 'a deleted group',
  source: 'a deleted source',
  segment: 'a deleted segment',
  udf: 'a deleted field',
};

export interface Choice {
  id: number;
  name: string;
  /** The venue of a group. */
  of?: string;
  /** The type of a custom field. */
  type?: Lookup['type'];
}

/** The lists that conditions refer to. Only the needed ones are loaded. */
export function useChoices(needed: ReadonlySet<NamedKind>): Record<NamedKind, Choice[] | undefined> {
  const account = useAccount();
  const only = (kind: NamedKind) => ({ enabled: needed.has(kind), staleTime: 60_000 });
  const units = useQuery({ ...unitsQuery(account), ...only('unit') });
  const venues = useQuery({ ...getAll<Venue>(`${account.path}/venues`), ...only('group') });
  const sources = useQuery({ ...getAll<Lookup>(`${account.path}/sources`), ...only('source') });
  const udfs = useQuery({ ...getAll<Lookup>(`${account.path}/udfs`), ...only('udf') });
  const segments = useQuery({ ...getAll<Segment>(segmentsPath(account)), ...only('segment') });
  return {
    unit: units.data,
    group: venues.data?.flatMap((venue) =>
      venue.folders.flatMap((folder) => folder.groups.map(({ id, name }) => ({ id, name, of: venue.name }))),
    ),
    source: sources.data,
    udf: udfs.data,
    segment: segments.data,
  };
}

/** The kinds of names that the sentences of these definitions contain. */
function kindsIn(definitions: Definition[]): Set<NamedKind> {
  const kinds = new Set<NamedKind>();
  for (const { condition } of definitions.flatMap((definition) => conditionsOf(definition))) {
    const { field, unit_ids } = condition;
    if (unit_ids) kinds.add('unit');
    if (udfIdOf(field) !== undefined) kinds.add('udf');
    if (field === 'unit' || field === 'group' || field === 'source' || field === 'segment') kinds.add(field);
  }
  return kinds;
}

export function namesFrom(choices: Record<NamedKind, Choice[] | undefined>): NameOf {
  return (kind, id) => {
    const list = choices[kind];
    return list ? (list.find((one) => one.id === id)?.name ?? missing[kind]) : '…';
  };
}

/** The names in the sentences of these definitions. */
export const useNames = (definitions: Definition[]): NameOf => namesFrom(useChoices(kindsIn(definitions)));
