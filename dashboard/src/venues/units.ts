import { queryOptions } from '@tanstack/react-query';
import type { Paged } from '#service/shared/fields.ts';
import type { Unit } from '#service/units/schema.ts';
import { api } from '../api/client.ts';
import { get } from '../api/queries.ts';

/** Every venue of the account, to choose from; the root unit first. It seldom takes a second page. */
export function unitsQuery(account: { id: number }) {
  const path = `/accounts/${account.id}/units`;
  return queryOptions({
    queryKey: [...get(path).queryKey, 'all'],
    queryFn: async ({ signal }) => {
      const units: Unit[] = [];
      for (let page = 1, last = 1; page <= last; page++) {
        const { data, last_page } = await api.get<Paged<Unit>>(path, { page }, { signal });
        units.push(...data);
        last = last_page;
      }
      return units;
    },
    staleTime: 60_000,
  });
}
