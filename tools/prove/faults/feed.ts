import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Run } from '../../../src/platform/db/sql.ts';
import { eventId } from '../../../src/shared/event-id.ts';
import { ask } from '../support/client.ts';
import type { Place } from './script.ts';

const patienceMs = 30_000;
const mostEvents = 1000;

/** A partner that follows the event feed, whatever happens to the service. */
export class FeedReader {
  readonly ids: string[] = [];
  readonly #place: Place;
  readonly #urls: () => string[];
  readonly #agent = new Agent({ keepAlive: true });
  #next: string | undefined;
  #over = false;

  constructor(place: Place, urls: () => string[]) {
    this.#place = place;
    this.#urls = urls;
  }

  /** Reads until `end` is called, and then what is left. */
  begin(): { end(): Promise<void> } {
    const reading = this.#follow();
    reading.catch(() => {});
    return {
      end: async () => {
        this.#over = true;
        await reading;
        this.#agent.destroy();
      },
    };
  }

  async #follow(): Promise<void> {
    for (let isEmpty = false; !this.#over || !isEmpty; ) {
      const found = await this.#read();
      isEmpty = found === 0;
      if (found === undefined || isEmpty) await pause(100);
    }
  }

  /** The number of events. Undefined: no answer. */
  async #read(): Promise<number | undefined> {
    const urls = this.#urls();
    const url = urls[Math.floor(Math.random() * urls.length)];
    if (url === undefined) return undefined;
    const query = new URLSearchParams({
      account_id: String(this.#place.account),
      limit: String(mostEvents),
      wait: '1',
    });
    if (this.#next !== undefined) query.set('after', this.#next);
    const answer = await ask(this.#agent, `${url}/v1/events?${query}`, {
      ...{ method: 'GET', token: this.#place.token, patienceMs },
    });
    if (answer?.status !== 200) return undefined;
    const { data, next } = JSON.parse(answer.body) as { data: { id: string }[]; next: string };
    this.ids.push(...data.map(({ id }) => id));
    this.#next = next;
    return data.length;
  }
}

export interface EventCheck {
  wrong: string[];
  events: number;
  /** Stored parts without an event, and events without a stored part. */
  missing: number;
  unfounded: number;
}

/** Compares the events with the stored rows, and with what the reader of the feed got. */
export async function checkEvents(run: Run, account: number, seen: string[]): Promise<EventCheck> {
  const places = await run<{ position: number | null; place: number }>`
    select position, place - 1 as place from events cross join json_array_elements(entries) with ordinality as one (entry, place)
    where account_id = ${account} order by position, place`;
  const verdict: EventCheck = { wrong: [], events: places.length, missing: 0, unfounded: 0 };
  const ids = places.map(({ position, place }) =>
    position === null ? 'no position' : eventId(account, { position, place }),
  );
  const different = ids.findIndex((id, index) => id !== seen[index]);
  if (different >= 0 || seen.length !== ids.length)
    verdict.wrong.push(
      `The feed gave ${seen.length} events of ${ids.length}. The first difference is at ${different}: ${seen[different]} instead of ${ids[different]}.`,
    );
  for (const { part, rows, events } of await differences(run, account)) {
    if (events < rows) verdict.missing++;
    else verdict.unfounded++;
    if (verdict.missing + verdict.unfounded < 10)
      verdict.wrong.push(`${part} is stored ${rows} times, and has ${events} events.`);
  }
  return verdict;
}

/**
 * The parts of the clients' writes whose number of events differs from their number of rows. The columns of the parts are
 * named by "as": Citus loses names in brackets.
 */
function differences(run: Run, account: number) {
  return run<{ part: string; rows: number; events: number }>`
    with stored as (
      select 'note ' || text as part from notes where account_id = ${account}
      union all select 'feedback ' || id from feedback where account_id = ${account}
      union all select 'purchase ' || transaction_reference from purchases where account_id = ${account}
      union all select 'booking ' || booking_reference from bookings where account_id = ${account}
      union all select 'contact ' || id from contacts where account_id = ${account}
      union all select 'merge ' || contact_id from merges where account_id = ${account} and undoes is null
      union all select 'consent ' || channel || ' ' || contact_id || ' ' || to_given from consent_ledger
        where account_id = ${account} and applied
      union all select 'redeemed ' || unique_code from unique_codes where account_id = ${account} and redeemed_at is not null),
    entry as (
      select entry ->> 'type' as type, entry -> 'data' as data from events cross join json_array_elements(entries) as one (entry)
      where account_id = ${account}),
    told as (
      select 'note ' || (data ->> 'text') as part from entry where type = 'note.added'
      union all select 'feedback ' || (data ->> 'feedback_id') from entry where type = 'feedback.received'
      -- A purchase that is matched at once was recorded with its contact, and a booking gets its tables later.
      union all select distinct 'purchase ' || (data ->> 'transaction_reference') from entry where type = 'purchase.recorded'
      union all select distinct 'booking ' || (data ->> 'booking_reference') from entry where type = 'booking.recorded'
      union all select 'contact ' || (data ->> 'contact_id') from entry where type = 'contact.created'
      union all select 'merge ' || (data ->> 'merged_contact_id') from entry where type = 'contact.merged'
      union all select 'consent ' || (data ->> 'channel') || ' ' || (data ->> 'contact_id') || ' ' || (data ->> 'to')
        from entry where type = 'consent.changed'
      union all select 'redeemed ' || (data ->> 'unique_code') from entry where type = 'voucher.redeemed')
    select part, coalesce(s.n, 0) as rows, coalesce(t.n, 0) as events
    from (select part, count(*) as n from stored group by part) s
    full join (select part, count(*) as n from told group by part) t using (part)
    where coalesce(s.n, 0) <> coalesce(t.n, 0) limit 1000`;
}
