import { Resolver } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Batcher } from '../../../platform/batching/batcher.ts';
import type { Database } from '../../../platform/db/database.ts';
import { asciiDomain, domainOf } from '../../../shared/domain-name.ts';
import { ExpiringMap } from '../../../shared/expiring-map.ts';
import type { MaybePromise } from '../../../shared/maybe-promise.ts';
import { commonDomains } from './common.ts';
import type { DnsAnswer, KnownDomain, TakesMail } from './schema.ts';
import { findDomains } from './store.ts';

export interface DomainOptions {
  mode: 'dns' | 'list' | 'off';
  /** The system's own unless given. */
  servers?: string[] | undefined;
  /** For how long a guest is kept waiting for DNS. */
  patienceMs?: number;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** How long a domain in the table counts as checked. After that, DNS is asked again. */
const believedMs = 30 * day;
/** How long an answer of DNS is kept in memory. A typo may become a domain. */
const answerMs = 60 * minute;
/** How long a verdict is used without reading the table: staff, or another process, may have written there meanwhile. */
const verdictMs = 10_000;
/** Of verdicts, and of answers of DNS. */
const mostRemembered = 10_000;
/** More questions to DNS than this at a time, and the next is put off like one without an answer. */
const mostAsked = 200;
/** Names that never are domains on the internet. */
export const reserved = /(^|\.)(invalid|test|localhost)$/;
/** No such domain, no such record, no such thing as such a name. Anything else is not an answer. */
const denials = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);
const secondPatienceMs = 10_000;
/** A resolver that does not even find one of these has no view of the internet, and its "no such domain" means nothing. */
const beacons = ['gmail.com', 'outlook.com', 'icloud.com'];

/** The list of domains that take mail: the common ones, what was learnt from DNS, and, if it may ask, DNS itself. */
export class EmailDomains {
  readonly #mode: DomainOptions['mode'];
  readonly #patienceMs: number;
  readonly #resolver: Resolver;
  readonly #verdicts = new ExpiringMap<TakesMail>(mostRemembered);
  /** Only in memory: the table gets a domain with the write that stores a guest's e-mail, and nothing of a write that is refused. */
  readonly #answers = new ExpiringMap<'yes' | 'no'>(mostRemembered);
  readonly #asking = new Map<string, Promise<TakesMail>>();
  /** Look-ups that arrive together are one statement. */
  readonly #stored: Batcher<string, KnownDomain | undefined>;
  #askingDns = 0;
  #probing: Promise<boolean> | undefined;
  #blindUntil = 0;

  constructor(db: Database, { mode, servers, patienceMs = 1500 }: DomainOptions) {
    this.#mode = mode;
    this.#patienceMs = patienceMs;
    this.#stored = new Batcher({
      write: (_, domains) => db.transaction((tx) => findDomains(tx, domains)),
      weigh: () => 1,
      batching: 'on',
    });
    this.#resolver = new Resolver({ timeout: Math.ceil(patienceMs / 2), tries: 3 });
    if (servers) this.#resolver.setServers(servers);
  }

  /** About an e-mail that is otherwise valid. What is known is answered without waiting for anything. */
  takesMail(email: string): MaybePromise<TakesMail> {
    if (this.#mode === 'off') return 'yes';
    const domain = asciiDomain(domainOf(email));
    if (domain === '' || reserved.test(domain)) return 'no';
    if (commonDomains.has(domain)) return 'yes';
    return this.#verdicts.get(domain) ?? this.#ask(domain);
  }

  /** Asks anew, whatever is remembered, and with patience: nobody waits for it. Without DNS the list decides. */
  async lookAgain(domain: string): Promise<DnsAnswer> {
    if (this.#mode === 'off') return 'unknown';
    const name = asciiDomain(domain);
    if (name === '') return 'no';
    if (this.#mode === 'list') return commonDomains.has(name) || (await this.#find(name)) === 'yes' ? 'yes' : 'no';
    const answer = await this.#inTime(this.#askDns(name), secondPatienceMs);
    if (answer !== 'unknown') this.#answers.set(name, answer, answerMs);
    this.#verdicts.delete(name);
    return answer;
  }

  /** Staff may have said something about a domain, or erased the only guest who had it. */
  forget(): void {
    this.#verdicts.clear();
    this.#answers.clear();
  }

  #ask(domain: string): Promise<TakesMail> {
    const asked = this.#asking.get(domain);
    if (asked) return asked;
    const asking = this.#find(domain).finally(() => this.#asking.delete(domain));
    this.#asking.set(domain, asking);
    return asking;
  }

  async #find(domain: string): Promise<TakesMail> {
    const verdict = await this.#decide(domain);
    this.#verdicts.set(domain, verdict, verdictMs);
    return verdict;
  }

  async #decide(domain: string): Promise<TakesMail> {
    const stored = await this.#stored.submit(0, domain);
    if (stored?.vouched_for || this.#mode === 'list') return stored?.takes_mail ? 'yes' : 'no';
    if (stored?.takes_mail && stored.age_seconds * 1000 < believedMs) return 'yes';
    const remembered = this.#answers.get(domain);
    const answer = remembered ?? (await this.#askSoon(domain));
    // What took mail when DNS last answered does so until DNS says otherwise.
    if (answer === 'unknown') return stored?.takes_mail ? 'yes' : 'unknown';
    if (remembered === undefined) this.#answers.set(domain, answer, answerMs);
    return answer === 'yes' ? 'learnt' : 'no';
  }

  async #askSoon(domain: string): Promise<DnsAnswer> {
    if (this.#askingDns >= mostAsked) return 'unknown';
    this.#askingDns++;
    try {
      return await this.#inTime(this.#askDns(domain), this.#patienceMs);
    } finally {
      this.#askingDns--;
    }
  }

  async #inTime(asking: Promise<DnsAnswer>, patienceMs: number): Promise<DnsAnswer> {
    const waiting = new AbortController();
    const late = pause(patienceMs, 'unknown' as const, { ref: false, signal: waiting.signal });
    late.catch(() => {});
    try {
      return await Promise.race([asking, late]);
    } finally {
      waiting.abort();
    }
  }

  async #askDns(domain: string): Promise<DnsAnswer> {
    const answer = await this.#mx(domain);
    return answer === 'no' && !(await this.#seesTheInternet()) ? 'unknown' : answer;
  }

  async #mx(domain: string): Promise<DnsAnswer> {
    try {
      const records = await this.#resolver.resolveMx(domain);
      // A lone record without a name says that the domain takes no mail (RFC 7505).
      return records.some(({ exchange }) => exchange !== '' && exchange !== '.') ? 'yes' : 'no';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code !== undefined && denials.has(code) ? 'no' : 'unknown';
    }
  }

  /** One probe at a time: a flood of unknown domains must not ask four times as many questions. */
  async #seesTheInternet(): Promise<boolean> {
    if (this.#blindUntil > Date.now()) return false;
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    const sees = await this.#probing;
    if (!sees) this.#blindUntil = Date.now() + minute;
    return sees;
  }

  #probe(): Promise<boolean> {
    const seen = beacons.map(async (beacon) => {
      if ((await this.#mx(beacon)) !== 'yes') throw new Error('not found');
    });
    return Promise.any(seen).then(
      () => true,
      () => false,
    );
  }
}
