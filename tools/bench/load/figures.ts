import { fillCounts } from '../../../src/features/figures/keep.ts';
import { countAllDays, sumDays } from '../../../src/features/figures/refresh-store.ts';
import { openPool } from '../../../src/platform/db/database.ts';
import type { Group } from './guests.ts';
import { asSuperuser, type Service } from './service.ts';

const contactsAtOnce = 20_000;

/** Counts the activity of the accounts, which was loaded without the service: the figures of contacts, and the counts of Home. */
export async function fillFigures(service: Service, groups: Group[], say: (text: string) => void): Promise<void> {
  const begin = performance.now();
  const db = openPool({ url: service.database, connections: 1 });
  try {
    for (const group of groups) {
      const { made, size } = group;
      for (let first = 0; first < size.contacts; first += contactsAtOnce) {
        const count = Math.min(contactsAtOnce, size.contacts - first);
        const ids = Array.from({ length: count }, (_, nth) => group.contactId(first + nth));
        await db.tenant(made.accountId, async (tx) => {
          await countAllDays(tx, made.accountId, ids);
          await sumDays(tx, made.accountId, ids, false);
        });
      }
      await fillCounts(db, made.accountId);
    }
  } finally {
    await db.close();
  }
  await asSuperuser(service, async (client) => {
    for (const table of ['contact_days', 'contact_figures', 'unit_days', 'counted_contacts', 'guest_days'])
      await client.query(`vacuum (analyze) ${table}`);
  });
  say(`  The figures in ${Math.round((performance.now() - begin) / 1000)} s.`);
}
