import { Resolver } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import type { Database } from '../db/database.ts';
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
const believedMs = { yes: 30 * day, no: 60 * minute, unknown: minute / 6 };
const mostRemembered = 50_000;
/** More questions than this at a time, and the next is put off like one without an answer. */
const mostAsked = 200;
/** Names that never are domains on the internet. */
const reserved = /(^|\.)(invalid|test|localhost)$/;
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
  #sighted: { answer: Promise<boolean>; until: number } | undefined;

  constructor(db: Database, { mode, servers, patienceMs = 1500 }: DomainOptions) {
    this.#db = db;
    this.#mode = mode;
    this.#patienceMs = patienceMs;
    this.#resolver = new Resolver({ timeout: Math.ceil(patienceMs / 2), tries: 3 });
    if (servers) this.#resolver.setServers(servers);
  }

  /** About an e-mail that is otherwise valid. What is known is answered without waiting for anything. */
  async takesMail(email: string): Promise<TakesMail> {
    if (this.#mode === 'off') return 'yes';
    const domain = asciiDomain(email.slice(email.lastIndexOf('@') + 1));
    if (domain === '' || reserved.test(domain)) return 'no';
    if (commonDomains.has(domain)) return 'yes';
    const known = this.#remembered.get(domain);
    if (known && known.until > Date.now()) return known.answer;
    return this.#ask(domain);
  }

  /** Asks anew, whatever is remembered. */
  async lookAgain(domain: string): Promise<TakesMail> {
    this.#remembered.delete(asciiDomain(domain));
    return this.takesMail(`@${domain}`);
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
    if (this.#mode === 'list') return this.#remember(domain, storedAnswer, minute);
    if (fresh) return this.#remember(domain, storedAnswer, minute);
    const answer = await this.#askInTime(domain);
    // What took mail when we last heard of it does so until we hear otherwise.
    if (answer === 'unknown') return this.#remember(domain, stored?.takes_mail ? 'yes' : 'unknown', believedMs.unknown);
    await this.#db.transaction((tx) => saveDomain(tx, domain, answer === 'yes'));
    return this.#remember(domain, answer, believedMs[answer]);
  }

  async #askInTime(domain: string): Promise<TakesMail> {
    const waiting = new AbortController();
    const late = pause(this.#patienceMs, 'unknown' as const, { ref: false, signal: waiting.signal });
    late.catch(() => {});
    try {
      return await Promise.race([this.#askDns(domain), late]);
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
      return code === 'ENOTFOUND' || code === 'ENODATA' ? 'no' : 'unknown';
    }
  }

  #seesTheInternet(): Promise<boolean> {
    if (!this.#sighted || this.#sighted.until < Date.now()) {
      const answer = Promise.all(beacons.map((beacon) => this.#mx(beacon))).then((answers) => answers.includes('yes'));
      this.#sighted = { answer, until: Date.now() + minute };
    }
    return this.#sighted.answer;
  }

  #remember(domain: string, answer: TakesMail, forMs: number): TakesMail {
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(domain, { answer, until: Date.now() + forMs });
    return answer;
  }
}

/** As DNS knows it: `bücher.example` is `xn--bcher-kva.example`. Empty: it can't be a domain at all. */
export function asciiDomain(domain: string): string {
  return domainToASCII(domain.replace(/\.$/, ''));
}
