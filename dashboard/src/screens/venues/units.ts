import type { Unit } from '#service/features/venues/units/schema.ts';
import { getAll } from '../../api/queries.ts';

/** All venues of the account, the root unit first. They rarely need a second page. */
export function unitsQuery(account: { id: number }) {
  return { ...getAll<Unit>(`/accounts/${account.id}/units`), staleTime: 60_000 };
}
