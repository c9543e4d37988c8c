import { useQuery } from '@tanstack/react-query';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import type { Lookup } from '#service/features/venues/lookups/schema.ts';
import { getAll } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { Details } from '../../ui/Details.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { WallClock } from '../../ui/Values.tsx';

/** The user-defined fields that this guest has values for. */
export function GuestUdfs({ guest: { udfs } }: { guest: StaffContact }) {
  const { path } = useAccount();
  const fields = useQuery({ ...getAll<Lookup>(`${path}/udfs`), enabled: udfs.length > 0 });
  if (udfs.length === 0) return null;
  return (
    <Panel title="User-defined fields">
      <Details
        rows={udfs.map(({ id, data }) => {
          const field = fields.data?.find((one) => one.id === id);
          const isDay = field?.type === 'date' && /^\d{4}-\d{2}-\d{2}/.test(data);
          return [field?.name ?? `Field ${id}`, isDay ? <WallClock key={id} at={data} dayOnly /> : data];
        })}
      />
    </Panel>
  );
}
