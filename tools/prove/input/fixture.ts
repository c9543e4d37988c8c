import { createHash, scryptSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Random } from '../../../src/shared/random.ts';
import { ownProcessGroup, type Service, startService } from '../../bench/load/service.ts';
import { fingerprint, tablesOf } from '../support/fingerprint.ts';

/** A user with a session. */
export interface Visitor {
  id: number;
  email: string;
  secret: string;
}

export interface Code {
  unique_code: string;
  unique_code_group_id: number;
  assigned: boolean;
}

export interface Delivery {
  id: number;
  webhook_id: number;
}

export const password = 'correct horse battery staple';

/** The minimum number of items of each kind. */
const minStock = 8;
const roles = ['owner', 'staff', 'viewer'] as const;

/** The columns that a rejected request may change. */
const allowed = `(case tg_table_name
  when 'tokens' then array['last_used_at']
  when 'sessions' then array['last_seen_at', 'expires_at']
  else array[]::text[] end)`;

/** The columns that the sender of webhooks changes. */
const ofSender = `(case tg_table_name
  when 'events' then array['position']
  when 'webhooks' then array['position', 'place', 'replay_position', 'failing_since']
  else array[]::text[] end)`;

/**
 * A service with its own database that contains items of every kind, so that requests can refer to them. Deleted items
 * are created again.
 */
export class Fixture {
  readonly service: Service;
  readonly client: pg.Client;
  account = { id: 0, token: '' };
  /** Another account, whose data must never appear. */
  neighbour = { id: 0, token: '' };
  /** Existing ids by field name. */
  stock: Record<string, number[]> = {};
  codes: Code[] = [];
  deliveries: Delivery[] = [];
  bookings: string[] = [];
  emails: string[] = [];
  /** One user per role. */
  users: Partial<Record<(typeof roles)[number], Visitor>> = {};
  visitors: Visitor[] = [];
  /** Takes the events of webhooks. */
  readonly #receiver = createServer((request, response) => {
    request.resume();
    response.end();
  });
  #made = 0;

  private constructor(service: Service, client: pg.Client) {
    this.service = service;
    this.client = client;
  }

  static async prepare(): Promise<Fixture> {
    // Client addresses are generated, so that a rate limit on one does not affect the others.
    // Generated requests make webhooks for hosts elsewhere. No name server answers, so nothing is sent to them.
    const webhooks = { WEBHOOK_PRIVATE_ADDRESSES: 'allow', DNS_SERVERS: '127.0.0.1:9' };
    const service = await startService(
      { LOG_LEVEL: 'fatal', TRUSTED_PROXIES: 'loopback', ...webhooks },
      ownProcessGroup,
    );
    const client = new pg.Client({ connectionString: service.superuser });
    await client.connect();
    // No crash test here, so fsync is off.
    await client.query('alter system set synchronous_commit = off');
    await client.query('select pg_reload_conf()');
    const fixture = new Fixture(service, client);
    try {
      await once(fixture.#receiver.listen(0, '127.0.0.1'), 'listening');
      await fixture.#watch();
      const { id } = await service.admin('POST', '/accounts', { name: 'The neighbour' });
      const { token } = await service.admin('POST', `/accounts/${id}/tokens`, { name: 'till' });
      fixture.neighbour = { id, token };
      await fixture.restock();
      return fixture;
    } catch (error) {
      await fixture.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.client.end();
    await this.service.stop();
    this.#receiver.closeAllConnections();
    this.#receiver.close();
  }

  /** Triggers that record each change in its transaction, so that a rollback leaves no record. */
  async #watch(): Promise<void> {
    await this.client.query(`
      create schema proof;
      create unlogged table proof.changes (id bigint generated always as identity primary key, change text not null, tx xid8 not null);
      create function proof.note() returns trigger language plpgsql security definer as $$
      declare account bigint; isSwept boolean;
      begin
        if tg_op = 'UPDATE' and to_jsonb(old) <> to_jsonb(new) and to_jsonb(old) - ${allowed} = to_jsonb(new) - ${allowed} then return null; end if;
        -- A wrong password changes nothing, and is remembered.
        if tg_table_name = 'audit_trail' and tg_op = 'INSERT' and to_jsonb(new)->>'action' = 'user.wrong_password' then return null; end if;
        account := (to_jsonb(old)->>case tg_table_name when 'accounts' then 'id' else 'account_id' end)::bigint;
        isSwept := tg_op = 'DELETE' and account is not null and not exists (select from accounts where id = account and deleted_at is null)
          or tg_op = 'UPDATE' and cardinality(${ofSender}) > 0 and to_jsonb(old) - ${ofSender} = to_jsonb(new) - ${ofSender}
          -- The request of the turn of a day to fill segments.
          or tg_op = 'INSERT' and tg_table_name = 'changes' and to_jsonb(new)->'contact_ids' = '[]';
        insert into proof.changes (change, tx)
        values (case when isSwept then 'sweep' else lower(tg_op) end || ' ' || tg_table_name, pg_current_xact_id());
        return null;
      end $$`);
    for (const table of await tablesOf(this.client))
      await this.client.query(
        `create trigger proof after insert or update or delete on ${table} for each row execute function proof.note()`,
      );
  }

  /** The changes since the last call. `sweep`: by background work, such as the deletion of an account's rows. */
  async changes(): Promise<string[]> {
    // Read records are deleted. The records of a slow transaction can have lower ids than these.
    const { rows } = await this.client.query<{ change: string; tx: string }>({
      name: 'changes',
      text: `with read as (delete from proof.changes returning id, change, tx)
        select change, tx::text from read order by id`,
    });
    const byTransaction = new Map<string, string[]>();
    for (const { change, tx } of rows) byTransaction.set(tx, [...(byTransaction.get(tx) ?? []), change]);
    const changes = [...byTransaction.values()].flatMap((of) =>
      isBackground(of) ? of.map((change) => change.replace(/^\w+/, 'sweep')) : of,
    );
    return [...new Set(changes)];
  }

  /** The changes since the last call, and a hash of each table, at one moment: background work goes on meanwhile. */
  async snapshot(): Promise<{ changes: string[]; prints: Record<string, string> }> {
    await this.client.query('begin isolation level repeatable read');
    const changes = await this.changes();
    const prints = await fingerprint(this.client, {
      sessions: `to_jsonb(r) - 'last_seen_at' - 'expires_at'`,
      audit_trail: `case when action = 'user.wrong_password' then null else to_jsonb(r) end`,
    });
    await this.client.query('commit');
    return { changes, prints };
  }

  /** A unique name. */
  fresh(prefix: string): string {
    return `${prefix} ${++this.#made}`;
  }

  pick(chance: Random, kind: string): number {
    const ids = this.stock[kind];
    return ids && ids.length > 0 ? chance.pick(ids) : 0;
  }

  /** Creates deleted items again. Returns the changes. */
  async restock(): Promise<string[]> {
    await this.#restoreAccount();
    await this.#restoreUsers();
    await this.#readItems();
    const missing = Object.keys(this.#makers).filter((kind) => (this.stock[kind]?.length ?? 0) < minStock);
    for (const kind of missing) for (let count = 0; count < minStock; count++) await this.#makers[kind]?.();
    if (missing.length > 0) await this.#readItems();
    return this.changes();
  }

  async #restoreAccount(): Promise<void> {
    const { rowCount } = await this.client.query(
      `select from tokens join accounts on accounts.id = account_id
       where account_id = $1 and tokens.name = 'The till of the proof' and revoked_at is null and deleted_at is null`,
      [this.account.id],
    );
    if (rowCount) return;
    const known = await this.client.query('select from accounts where id = $1 and deleted_at is null', [
      this.account.id,
    ]);
    const id = known.rowCount ? this.account.id : (await this.#admin('/accounts', { name: 'The Harbour Group' })).id;
    const { token } = await this.#admin(`/accounts/${id}/tokens`, { name: 'The till of the proof' });
    this.account = { id, token };
  }

  async #restoreUsers(): Promise<void> {
    const { rows } = await this.client.query<{ hash: Buffer }>('select hash from sessions');
    const open = new Set(rows.map(({ hash }) => hash.toString('hex')));
    const isIn = (visitor: Visitor | undefined) => visitor && open.has(hashOf(visitor.secret).toString('hex'));
    for (const role of roles) if (!isIn(this.users[role])) this.users[role] = await this.#user(role);
    this.visitors = this.visitors.filter(isIn);
    while (this.visitors.length < minStock) this.visitors.push(await this.#user('owner'));
  }

  /** Inserts users directly, because the service hashes passwords slowly. This hash is fast to check. */
  async #user(role: string): Promise<Visitor> {
    const email = `user${++this.#made}@gmail.com`;
    const secret = hashOf(email).toString('base64url');
    const salt = Buffer.from('salt');
    const hash = [
      'scrypt',
      16,
      8,
      1,
      salt.toString('base64url'),
      scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 }).toString('base64url'),
    ];
    const { rows } = await this.client.query<{ id: string }>(
      `insert into users (email, password_hash, role) values ($1, $2, $3) returning id`,
      [email, hash.join('$'), role],
    );
    const id = Number(rows[0]?.id);
    await this.client.query('insert into user_accounts (user_id, account_id) values ($1, $2)', [id, this.account.id]);
    await this.client.query(
      `insert into sessions (user_id, hash, address, user_agent, expires_at) values ($1, $2, '', '', now() + interval '1 day')`,
      [id, hashOf(secret)],
    );
    return { id, email, secret };
  }

  /** The newest items of each kind. */
  async #readItems(): Promise<void> {
    const inAccount = `account_id = ${this.account.id}`;
    const onUnit = `${inAccount} and unit_id in (select id from units where ${inAccount} and deleted_at is null)`;
    const kept = [...this.visitors, ...Object.values(this.users)].map(({ id }) => id).join(', ');
    const ids: Record<string, string> = {
      unit_id: `units where ${inAccount} and deleted_at is null and not is_root`,
      contact_id: `contacts where ${inAccount} and merged_into is null`,
      folder_id: `folders where ${onUnit} and not exists (select from groups g where g.${inAccount} and g.unit_id = folders.unit_id and g.folder_id = folders.id)`,
      group_id: `groups where ${onUnit}`,
      unique_code_group_id: `unique_code_groups where ${onUnit} and not exists (select from unique_codes c where c.${inAccount} and c.group_id = unique_code_groups.id and (c.contact_id is not null or c.redeemed_at is not null))`,
      booking_id: `bookings where ${inAccount}`,
      purchase_id: `purchases where ${inAccount}`,
      merge_id: `merges where ${inAccount} and undoes is null and not exists (select from merges m where m.${inAccount} and m.undoes = merges.id) and exists (select from contacts c where c.${inAccount} and c.id = merges.contact_id and c.merged_into = merges.into_contact_id)`,
      pair_id: `possible_duplicates where ${inAccount} and kept_apart_at is null`,
      segment_id: `segments where ${inAccount}`,
      segment_action_id: `segment_actions where ${inAccount}`,
      webhook_id: `webhooks where ${inAccount}`,
      token_id: `tokens where ${inAccount} and revoked_at is null and name <> 'The till of the proof'`,
      user_id: `users where id not in (${kept})`,
      spare_account_id: `accounts where id not in (${this.account.id}, ${this.neighbour.id}) and deleted_at is null`,
    };
    for (const kind of ['udfs', 'sources', 'providers']) ids[kind] = `${kind} where ${inAccount}`;
    // Lower ids are built in.
    for (const kind of ['feedback_categories', 'booking_sources'])
      ids[kind] = `${kind} where ${inAccount} and id >= 1000`;
    const list = Object.entries(ids).map(
      ([kind, from]) => `'${kind}', array(select id from ${from} order by id desc limit 30)`,
    );
    const { rows } = await this.client.query<Pick<Fixture, 'stock' | 'codes' | 'deliveries' | 'bookings' | 'emails'>>(
      `select json_build_object(${list}) as stock,
        array(select json_build_object('unique_code', unique_code, 'unique_code_group_id', group_id, 'assigned', contact_id is not null)
          from unique_codes where ${inAccount} and redeemed_at is null order by id desc limit 60) as codes,
        array(select json_build_object('id', id, 'webhook_id', webhook_id) from webhook_deliveries
          where ${inAccount} and exists (select from webhooks w where w.${inAccount} and w.id = webhook_id) order by id desc limit 30) as deliveries,
        array(select booking_reference from bookings where ${inAccount} order by id desc limit 30) as bookings,
        array(select email from contacts where ${inAccount} and merged_into is null and email is not null order by id desc limit 30) as emails`,
    );
    Object.assign(this, rows[0]);
    this.stock.deliveries = this.deliveries.map(({ id }) => id);
    this.stock.codes = this.codes.filter((code) => !code.assigned).map(() => 0);
    this.stock.assigned = this.codes.filter((code) => code.assigned).map(() => 0);
  }

  readonly #makers: Record<string, () => Promise<unknown>> = {
    unit_id: () => this.#ours('units', { name: this.fresh('Venue') }),
    folder_id: async () => this.#ours('folders', { unit_id: await this.#unit(), name: this.fresh('Folder') }),
    group_id: async () => this.#ours('groups', { unit_id: await this.#unit(), name: this.fresh('Group') }),
    udfs: () => this.#ours('udfs', { name: this.fresh('Field'), type: 'text' }),
    sources: () => this.#ours('sources', { name: this.fresh('Source') }),
    providers: () => this.#ours('providers', { name: this.fresh('Provider') }),
    feedback_categories: () => this.#ours('feedback_categories', { name: this.fresh('Category') }),
    booking_sources: () => this.#ours('booking_sources', { name: this.fresh('Booking source') }),
    contact_id: () => this.#contact(),
    booking_id: () => this.#contact(),
    purchase_id: () => this.#contact(),
    unique_code_group_id: async () =>
      this.#ours('unique_code_groups', { unit_id: await this.#unit(), name: this.fresh('Vouchers') }),
    codes: async () => this.#ours(`unique_code_groups/${await this.#codeGroup()}/codes`, { count: 10 }),
    assigned: async () => {
      const group = await this.#codeGroup();
      await this.#ours(`unique_code_groups/${group}/codes`, { count: 4 });
      const contacts = [await this.#contact(), await this.#contact()];
      await this.#ours(`unique_code_groups/${group}/assign`, { contact_ids: contacts });
    },
    merge_id: async () => {
      const [one, other] = [await this.#contact(), await this.#contact()];
      await this.#ours(`contacts/${one}/merge`, { contact_id: other });
    },
    pair_id: async () => {
      const mobile_number = `0770${String(++this.#made).padStart(7, '0')}`;
      await this.#contact({ mobile_number });
      await this.#contact({ mobile_number });
    },
    // Without members, no voucher codes are missing to assign.
    segment_id: () =>
      this.#ours('segments', {
        ...{ name: this.fresh('Segment'), definition: { field: 'city', op: 'is', value: 'Nowhere' } },
      }),
    segment_action_id: async () => {
      const definition = { field: 'email', op: 'known' };
      const { id } = await this.#ours('segments', { name: this.fresh('Segment'), definition });
      const group = await this.#ours('groups', { unit_id: await this.#unit(), name: this.fresh('Group') });
      await this.#ours(`segments/${id}/add_to_group`, { group_id: group.id });
    },
    webhook_id: () => this.#webhook('import.finished'),
    deliveries: async () => {
      const { id } = await this.#webhook('booking.recorded');
      await this.#contact();
      for (let waits = 0; waits < 200; waits++) {
        const { rowCount } = await this.client.query('select from webhook_deliveries where webhook_id = $1', [id]);
        if (rowCount) return;
        await pause(50);
      }
      throw new Error('An event was not delivered.');
    },
    token_id: () => this.#ours('tokens', { name: this.fresh('Token') }),
    user_id: () => this.#user('staff'),
    spare_account_id: () => this.#admin('/accounts', { name: this.fresh('Account') }),
  };

  async #unit(): Promise<number> {
    return (await this.#ours('units', { name: this.fresh('Venue') })).id;
  }

  async #codeGroup(): Promise<number> {
    return (await this.#ours('unique_code_groups', { unit_id: await this.#unit(), name: this.fresh('Vouchers') })).id;
  }

  #webhook(type: string): Promise<{ id: number }> {
    const { port } = this.#receiver.address() as AddressInfo;
    return this.#ours('webhooks', { url: `http://127.0.0.1:${port}/`, types: [type] });
  }

  async #contact(more: object = {}): Promise<number> {
    const number = ++this.#made;
    const body = {
      ...{ email: `guest${number}@gmail.com`, first_name: 'Ana', last_name: 'Silva', full_contact_object: false },
      bookings: [{ booking_reference: `B-${number}`, party_datetime: '2026-03-01 19:30:00', table_numbers: ['12'] }],
      purchases: [{ transaction_reference: `T-${number}`, items: [{ quantity: 1, value: 2.5 }] }],
      ...more,
    };
    const response = await fetch(`${this.service.url}/v1/contact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.account.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`A contact could not be created: ${await response.text()}`);
    return ((await response.json()) as { id: number }).id;
  }

  #admin(path: string, body: object) {
    return this.service.admin('POST', path, body);
  }

  #ours(path: string, body: object) {
    return this.#admin(`/accounts/${this.account.id}/${path}`, body);
  }
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();

/** Rows that background work keeps, and the queues that it empties. Requests that change these rows are in the audit trail. */
const kept =
  /^(\w+ (accounts|segments|segment_\w+|unit_days|unique_code_days|unique_code_sums|counted_contacts|guest_days|group_guests)|delete change\w+)$/;
/** What a job that counts figures changes. A request also changes the activity. */
const figures = /^(insert changes|\w+ (contact_days|contact_figures|figure_checks))$/;
/** What a reader of the feed and the sender of webhooks change. */
const sending = /^(sweep (events|webhooks)|\w+ (event_contacts|event_streams|webhook_deliveries|webhook_hours))$/;

/** Whether background work made the changes of a transaction, and not a request. */
function isBackground(changes: string[]): boolean {
  if (changes.some((change) => change.endsWith(' audit_trail'))) return false;
  const isCount = changes.every((change) => figures.test(change)) && changes.some((change) => / contact_/.test(change));
  return isCount || changes.every((change) => sending.test(change)) || changes.some((change) => kept.test(change));
}
