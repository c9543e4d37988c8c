import type { Unit } from '#service/features/venues/units/schema.ts';
import { getAll } from '../api/queries.ts';

/** Every venue of the account, to choose from; the root unit first. It seldom takes a second page. */
export function unitsQuery(account: { id: number }) {
  return { ...getAll<Unit>(`/accounts/${account.id}/units`), staleTime: 60_000 };
}
