import { limit } from './limit.ts';
import { load, type Measured } from './load.ts';
import type { Service } from './service.ts';

/** One contact write as anybody would type it: find, make, know by e-mail and mobile, unit, group, consent; one commit. */
const transaction = (account: number) => `
\\set n random(1, 2000000000)
begin;
set local app.account_id = ${account};
select c.id from identities i join contacts c on c.account_id = i.account_id and c.id = i.contact_id where i.account_id = :account and i.kind = 'email' and i.value = 'limit' || :n::text || '@gmail.com' for update of c;
insert into contacts (account_id, first_name, last_name, email, mobile_number, source_id, allow_email) values (:account, 'Ana', 'Silva', 'limit' || :n::text || '@gmail.com', '4477' || :n::text, :source, true) returning id \\gset
insert into identities (account_id, kind, value, contact_id) values (:account, 'email', 'limit' || :n::text || '@gmail.com', :id), (:account, 'mobile', '4477' || :n::text, :id) on conflict do nothing;
insert into contact_units (account_id, contact_id, unit_id) values (:account, :id, :unit) on conflict do nothing;
insert into contact_groups (account_id, contact_id, group_id) values (:account, :id, :group) on conflict do nothing;
insert into consent_ledger (account_id, contact_id, channel, from_given, to_given, applied, source_id, token_id) values (:account, :id, 'email', false, true, true, :source, :token);
commit;
`;

/** Ours beside a limit, turn by turn. */
export interface BesideResult {
  name: string;
  turns: { ours: Measured; limit: number }[];
  /** What the limit was measured with. */
  by: string;
}

/** Contact writes over HTTP beside the same transaction in PostgreSQL's own benchmark, turn by turn. */
export async function benchContacts(
  service: Service,
  options: { connections: number; seconds: number; rounds: number; say(text: string): void },
): Promise<BesideResult> {
  const { connections, seconds, rounds, say } = options;
  const account = await service.admin('POST', '/accounts', { name: 'The Harbour Group' });
  const at = `/accounts/${account.id}`;
  const token = await service.admin('POST', `${at}/tokens`, { name: 'bench' });
  const unit = await service.admin('POST', `${at}/units`, { name: 'The Anchor' });
  const group = await service.admin('POST', `${at}/groups`, { unit_id: unit.id, name: 'Newsletter' });
  const source = await service.admin('POST', `${at}/sources`, { name: 'Wifi' });
  let round = 0;
  const ours = (forSeconds: number) =>
    load({
      url: service.url,
      path: '/v1/contact',
      token: token.token,
      connections,
      seconds: forSeconds,
      body: (n) =>
        JSON.stringify({
          account_id: account.id,
          email: `guest${round}-${n}@gmail.com`,
          mobile_number: `077${String(round * 1_000_000 + n).padStart(8, '0')}`,
          first_name: 'Ana',
          last_name: 'Silva',
          source_id: source.id,
          allow_email: true,
          units: [{ id: unit.id, groups: [{ name: 'Newsletter' }] }],
        }),
      check: (n, status, body) => {
        if (status !== 200 || !body.includes(`"email":"guest${round}-${n}@gmail.com"`)) {
          throw new Error(`A contact write answered ${status}: ${body}`);
        }
      },
    });
  const result: BesideResult = { name: 'Writing new contacts', turns: [], by: '' };
  say('Warming up.');
  await ours(seconds);
  for (round = 1; round <= rounds; round++) {
    const { perSecond, by } = await limit({
      database: service.database,
      connections,
      seconds,
      script: transaction(account.id),
      variables: {
        account: account.id,
        unit: unit.id,
        group: group.id,
        source: source.id,
        token: token.id,
      },
    });
    result.by = by;
    const measured = await ours(seconds);
    result.turns.push({ ours: measured, limit: perSecond });
    say(`Turn ${round} of ${rounds}: ${by} ${Math.round(perSecond)} a second, ours ${Math.round(measured.perSecond)}.`);
  }
  return result;
}
