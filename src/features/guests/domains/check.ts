import { Resolver } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../../platform/batching/batcher.ts';
import type { Database } from '../../../platform/db/database.ts';
import { asciiDomain, domainOf } from '../../../shared/domain-name.ts';
import { codeOf } from '../../../shared/errors.ts';
import type { MaybePromise } from '../../../shared/maybe-promise.ts';
import { commonDomains } from './common.ts';
import type { DnsAnswer, KnownDomain, TakesMail } from './schema.ts';
import { findDomains } from './store.ts';

export interface DomainOptions {
  mode: 'dns' | 'list' | 'off';
  /** Default: the system's resolver. */
  servers?: string[] | undefined;
  /** How long a write waits for DNS. */
  patienceMs?: number;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** How long a domain in the table counts as checked. After that, DNS is queried again. */
const tableTtlMs = 30 * day;
/** How long a DNS result stays in memory. A mistyped domain can be registered later. */
const dnsTtlMs = 60 * minute;
/** How long a verdict is used without reading the table, which staff or another process can change. */
const verdictTtlMs = 10_000;
/** The most verdicts, and the most DNS results, in memory. */
const maxCached = 10_000;
/** The most concurrent DNS queries. Further domains stay unchecked, as without a DNS result. */
const maxQueries = 200;
/** Reserved names that are never domains on the internet. */
export const reserved = /(^|\.)(invalid|test|localhost)$/;
/** Errors that mean "no such domain or record". Other errors are not a result. */
const notFoundCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);
const recheckTimeoutMs = 10_000;
/** A resolver that finds none of these has no access to the internet, so its "no such domain" is ignored. */
const probeDomains = ['gmail.com', 'outlook.com', 'icloud.com'];

/** Checks whether a domain receives mail: the common domains, the table, and DNS if it is enabled. */
export class EmailDomains {
  readonly #mode: DomainOptions['mode'];
  readonly #patienceMs: number;
  readonly #resolver: Resolver;
  readonly #verdicts = new LRUCache<string, TakesMail>({ max: maxCached, ttl: verdictTtlMs });
  /**
   * DNS results in memory. A domain is stored in the table only by the write that stores the e-mail, never by a
   * rejected write.
   */
  readonly #dnsResults = new LRUCache<string, 'yes' | 'no'>({ max: maxCached, ttl: dnsTtlMs });
  readonly #checks = new Map<string, Promise<TakesMail>>();
  /** Concurrent look-ups share one statement. */
  readonly #stored: Batcher<string, KnownDomain | undefined>;
  #runningQueries = 0;
  #probing: Promise<boolean> | undefined;
  #offlineUntil = 0;

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

  /** Checks the domain of a valid e-mail. A cached verdict is returned synchronously. */
  takesMail(email: string): MaybePromise<TakesMail> {
    if (this.#mode === 'off') return 'yes';
    const domain = asciiDomain(domainOf(email));
    if (domain === '' || reserved.test(domain)) return 'no';
    if (commonDomains.has(domain)) return 'yes';
    return this.#verdicts.get(domain) ?? this.#check(domain);
  }

  /**
   * Checks again without the cache and with a long timeout, because no request waits for it. Without DNS the list
   * decides.
   */
  async recheck(domain: string): Promise<DnsAnswer> {
    if (this.#mode === 'off') return 'unknown';
    const name = asciiDomain(domain);
    if (name === '') return 'no';
    if (this.#mode === 'list') return commonDomains.has(name) || (await this.#find(name)) === 'yes' ? 'yes' : 'no';
    const answer = await this.#withTimeout(this.#queryDns(name), recheckTimeoutMs);
    if (answer !== 'unknown') this.#dnsResults.set(name, answer);
    this.#verdicts.delete(name);
    return answer;
  }

  /** Forgets the domain, after staff changed it or erased its only guest. */
  forget(): void {
    this.#verdicts.clear();
    this.#dnsResults.clear();
  }

  #check(domain: string): Promise<TakesMail> {
    const asked = this.#checks.get(domain);
    if (asked) return asked;
    const asking = this.#find(domain).finally(() => this.#checks.delete(domain));
    this.#checks.set(domain, asking);
    return asking;
  }

  async #find(domain: string): Promise<TakesMail> {
    const verdict = await this.#decide(domain);
    this.#verdicts.set(domain, verdict);
    return verdict;
  }

  async #decide(domain: string): Promise<TakesMail> {
    const stored = await this.#stored.submit(0, domain);
    if (stored?.vouched_for || this.#mode === 'list') return stored?.takes_mail ? 'yes' : 'no';
    if (stored?.takes_mail && stored.age_seconds * 1000 < tableTtlMs) return 'yes';
    const remembered = this.#dnsResults.get(domain);
    const answer = remembered ?? (await this.#queryCached(domain));
    // A domain that received mail stays valid until DNS says otherwise.
    if (answer === 'unknown') return stored?.takes_mail ? 'yes' : 'unknown';
    if (remembered === undefined) this.#dnsResults.set(domain, answer);
    return answer === 'yes' ? 'learnt' : 'no';
  }

  async #queryCached(domain: string): Promise<DnsAnswer> {
    if (this.#runningQueries >= maxQueries) return 'unknown';
    this.#runningQueries++;
    try {
      return await this.#withTimeout(this.#queryDns(domain), this.#patienceMs);
    } finally {
      this.#runningQueries--;
    }
  }

  async #withTimeout(asking: Promise<DnsAnswer>, patienceMs: number): Promise<DnsAnswer> {
    const waiting = new AbortController();
    const late = pause(patienceMs, 'unknown' as const, { ref: false, signal: waiting.signal });
    late.catch(() => {});
    try {
      return await Promise.race([asking, late]);
    } finally {
      waiting.abort();
    }
  }

  async #queryDns(domain: string): Promise<DnsAnswer> {
    const answer = await this.#mx(domain);
    return answer === 'no' && !(await this.#hasInternet()) ? 'unknown' : answer;
  }

  async #mx(domain: string): Promise<DnsAnswer> {
    try {
      const records = await this.#resolver.resolveMx(domain);
      // A null MX record means that the domain receives no mail (RFC 7505).
      return records.some(({ exchange }) => exchange !== '' && exchange !== '.') ? 'yes' : 'no';
    } catch (error) {
      const code = codeOf(error);
      return code !== undefined && notFoundCodes.has(code) ? 'no' : 'unknown';
    }
  }

  /** One probe at a time, so that a flood of unknown domains does not multiply the queries. */
  async #hasInternet(): Promise<boolean> {
    if (this.#offlineUntil > Date.now()) return false;
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    const sees = await this.#probing;
    if (!sees) this.#offlineUntil = Date.now() + minute;
    return sees;
  }

  #probe(): Promise<boolean> {
    const seen = probeDomains.map(async (beacon) => {
      if ((await this.#mx(beacon)) !== 'yes') throw new Error('not found');
    });
    return Promise.any(seen).then(
      () => true,
      () => false,
    );
  }
}
