import { Resolver } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import type { Database } from '../db/database.ts';
import type { Soon } from '../shared/soon.ts';
import { commonDomains } from './common.ts';
import type { TakesMail } from './schema.ts';
import { findDomain, saveDomain } from './store.ts';

export interface DomainOptions {
  mode: 'dns' | 'list' | 'off';
  /** The system's own unless given. */
  servers?: string[] | undefined;
  /** For how long a guest is kept waiting for DNS. */
  patienceMs?: number;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** For how long each answer is believed. What is known to take mail is asked about again one day; a typo may become a domain. */
const believedMs = { yes: 30 * day, no: 60 * minute };
/** In memory much shorter: staff, and other processes, may know better meanwhile. */
const rememberedMs = 10_000;
const mostRemembered = 50_000;
/** More questions than this at a time, and the next is put off like one without an answer. */
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
  readonly #db: Database;
  readonly #mode: DomainOptions['mode'];
  readonly #patienceMs: number;
  readonly #resolver: Resolver;
  readonly #remembered = new Map<string, { answer: TakesMail; until: number }>();
  readonly #asking = new Map<string, Promise<TakesMail>>();
  #blindUntil = 0;

  constructor(db: Database, { mode, servers, patienceMs = 1500 }: DomainOptions) {
    this.#db = db;
    this.#mode = mode;
    this.#patienceMs = patienceMs;
    this.#resolver = new Resolver({ timeout: Math.ceil(patienceMs / 2), tries: 3 });
    if (servers) this.#resolver.setServers(servers);
  }

  /** About an e-mail that is otherwise valid. What is known is answered without waiting for anything. */
  takesMail(email: string): Soon<TakesMail> {
    if (this.#mode === 'off') return 'yes';
    const domain = asciiDomain(email.slice(email.lastIndexOf('@') + 1));
    if (domain === '' || reserved.test(domain)) return 'no';
    if (commonDomains.has(domain)) return 'yes';
    const known = this.#remembered.get(domain);
    if (known && known.until > Date.now()) return known.answer;
    return this.#ask(domain);
  }

  /** Asks anew, whatever is remembered, and with patience: nobody waits for it. Where DNS may not be asked, nobody can tell. */
  async lookAgain(domain: string): Promise<TakesMail> {
    if (this.#mode !== 'dns') return 'unknown';
    const name = asciiDomain(domain);
    if (name === '') return 'no';
    const answer = await this.#inTime(this.#askDns(name), secondPatienceMs);
    if (answer !== 'unknown') await this.#learn(name, answer);
    return answer;
  }

  /** Staff may have said something about a domain. */
  forget(): void {
    this.#remembered.clear();
  }

  #ask(domain: string): Promise<TakesMail> {
    const asked = this.#asking.get(domain);
    if (asked) return asked;
    if (this.#asking.size >= mostAsked) return Promise.resolve('unknown');
    const asking = this.#find(domain).finally(() => this.#asking.delete(domain));
    this.#asking.set(domain, asking);
    return asking;
  }

  async #find(domain: string): Promise<TakesMail> {
    const stored = await this.#db.transaction((tx) => findDomain(tx, domain));
    const storedAnswer = stored?.takes_mail ? 'yes' : 'no';
    const fresh = stored && (stored.vouched_for || stored.age_seconds * 1000 < believedMs[storedAnswer]);
    if (this.#mode === 'list' || fresh) return this.#remember(domain, storedAnswer, rememberedMs);
    const answer = await this.#inTime(this.#askDns(domain), this.#patienceMs);
    // What took mail when we last heard of it does so until we hear otherwise.
    if (answer === 'unknown') return this.#remember(domain, stored?.takes_mail ? 'yes' : 'unknown', rememberedMs);
    return this.#learn(domain, answer);
  }

  async #learn(domain: string, answer: 'yes' | 'no'): Promise<TakesMail> {
    await this.#db.transaction((tx) => saveDomain(tx, domain, answer === 'yes'));
    return this.#remember(domain, answer, rememberedMs);
  }

  async #inTime(asking: Promise<TakesMail>, patienceMs: number): Promise<TakesMail> {
    const waiting = new AbortController();
    const late = pause(patienceMs, 'unknown' as const, { ref: false, signal: waiting.signal });
    late.catch(() => {});
    try {
      return await Promise.race([asking, late]);
    } finally {
      waiting.abort();
    }
  }

  async #askDns(domain: string): Promise<TakesMail> {
    const answer = await this.#mx(domain);
    return answer === 'no' && !(await this.#seesTheInternet()) ? 'unknown' : answer;
  }

  async #mx(domain: string): Promise<TakesMail> {
    try {
      const records = await this.#resolver.resolveMx(domain);
      // A lone record without a name says that the domain takes no mail (RFC 7505).
      return records.some(({ exchange }) => exchange !== '' && exchange !== '.') ? 'yes' : 'no';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code !== undefined && denials.has(code) ? 'no' : 'unknown';
    }
  }

  async #seesTheInternet(): Promise<boolean> {
    if (this.#blindUntil > Date.now()) return false;
    const seen = beacons.map(async (beacon) => {
      if ((await this.#mx(beacon)) !== 'yes') throw new Error('not found');
    });
    const sees = await Promise.any(seen).then(
      () => true,
      () => false,
    );
    if (!sees) this.#blindUntil = Date.now() + minute;
    return sees;
  }

  #remember(domain: string, answer: TakesMail, forMs: number): TakesMail {
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(domain, { answer, until: Date.now() + forMs });
    return answer;
  }
}

const hostName = /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{1,63}$/;

/**
 * As DNS knows it: `bücher.example` is `xn--bcher-kva.example`. Empty: it is no domain. What only turns into one on the
 * way (`gm%61il.com`, letters of double width) is none either: mail would not go where it seems to.
 */
export function asciiDomain(domain: string): string {
  const name = hostName.test(domain) ? domain : domainToASCII(domain);
  return hostName.test(name) && (name === domain || /(^|\.)xn--/.test(name)) ? name : '';
}
