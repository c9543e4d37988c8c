import { fillFigures } from './load/figures.ts';
import { fill } from './load/fill.ts';
import { newGroups } from './load/guests.ts';
import { asSuperuser, type Service } from './load/service.ts';
import { existingContact, fullContact, newContact } from './rows/contacts.ts';
import { purchaseRows } from './rows/purchases.ts';
import { redeem } from './rows/redeem.ts';
import type { Row, Stage } from './rows/row.ts';
import { bookingSearch, popSearch, unitsList } from './rows/searches.ts';

/** The numbers of codes. Ours has more than a run redeems. pgbench has its own and can redeem one twice. */
const [codes, limitCodes] = [1_000_000, 1_000_000];
const size = { contacts: 10_000, bookingsEach: 5, purchasesEach: 10, waiting: 1000, codes };

type Part = 'contacts' | 'redeem' | 'purchases' | 'search' | 'units';

/** The account of the measurement, and the requested rows. Earlier builds have no figures. */
export async function makeFixture(
  service: Service,
  wanted: Set<string>,
  say: (text: string) => void,
  hasFigures = true,
): Promise<{ stage: Stage; rows: Row[] }> {
  say(`Making an account of ${size.contacts.toLocaleString('en')} guests.`);
  // Codes take some seconds to create, so only for rows that redeem.
  const groups = await newGroups(service, [{ ...size, codes: wanted.has('redeem') ? codes : 0 }]);
  const [group] = groups;
  if (!group) throw new Error('There is no account.');
  await fill(service, groups, () => {});
  if (hasFigures) await fillFigures(service, groups, () => {});
  const make = (what: string, of: object) => service.admin('POST', `/accounts/${group.made.accountId}/${what}`, of);
  for (let unit = 0; unit < 20; unit++) {
    const { id } = await make('units', { name: `Pub ${unit}` });
    for (const name of ['Newsletter', 'Wine club', 'Sunday roast']) await make('groups', { unit_id: id, name });
  }
  const assigned = await make('unique_code_groups', { unit_id: group.firstUnit, name: 'Assigned' });
  const limited = await make('unique_code_groups', { unit_id: group.firstUnit, name: 'For pgbench' });
  await asSuperuser(service, async (client) => {
    const { accountId } = group.made;
    const insert =
      'insert into unique_codes (account_id, group_id, unique_code, contact_id, assigned_at) select $1, $2,';
    await client.query(`${insert} 'A' || n, $3 + n, now() from generate_series(0, $4::int - 1) as n`, [
      ...[accountId, assigned.id, group.contactId(0), size.contacts],
    ]);
    if (wanted.has('redeem'))
      await client.query(`${insert} 'L' || n, null, null from generate_series(1, $3::int) as n`, [
        ...[accountId, limited.id, limitCodes],
      ]);
    for (const table of ['unique_codes', 'units', 'folders', 'groups']) await client.query(`vacuum (analyze) ${table}`);
    await client.query('checkpoint');
  });
  // Rows that only read come first, because writes make their responses longer.
  const parts: Record<Part, Row[]> = {
    search: [bookingSearch, popSearch],
    units: [unitsList],
    contacts: [newContact, existingContact, fullContact],
    redeem: [redeem({ id: limited.id, codes: limitCodes })],
    purchases: purchaseRows,
  };
  return {
    stage: { service, groups },
    rows: Object.entries(parts).flatMap(([part, rows]) => (wanted.has(part) ? rows : [])),
  };
}
