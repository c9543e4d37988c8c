import type { Tx } from '../../../platform/db/database.ts';
import { pick, type Sparse } from '../../../shared/read.ts';
import type { Account } from '../../access/accounts/schema.ts';
import type { AppliedCommand, Checks, SectionBatch, StoreAccount, Stored } from '../../identity/sections/section.ts';
import type { ContactState } from './contact-state.ts';
import type { ContactWrite, ListName } from './schema.ts';
import { checkOrder, type StoreStep, sections, storeOrder } from './sections.ts';

/** A section whose items are of any type. */
type AnyBatch = SectionBatch<object, ContactState>;

const loadOrder = Object.values(storeOrder).flat();

/** The sections of one batch. Each method calls the sections that the commands have lists for. */
export class BatchSections {
  readonly #batches: Record<ListName, AnyBatch>;
  /** The complete items of the batch, for the sections that lock or load by them. */
  readonly #items = new Map<ListName, object[]>();
  readonly #inputs: ContactWrite[];

  constructor(inputs: ContactWrite[] = []) {
    this.#inputs = inputs;
    this.#batches = Object.fromEntries(checkOrder.map((name) => [name, sections[name].begin()])) as Record<
      ListName,
      AnyBatch
    >;
  }

  /** Collects the ids that the lists name. Units are collected for all sections together. */
  collectReferences(units: Set<number>): void {
    for (const input of this.#inputs) {
      for (const name of checkOrder) {
        const items = input[name] as Sparse<object> | undefined;
        if (!items) continue;
        const batch = this.#batches[name];
        for (const item of items) if (item) batch.references?.(item, units);
      }
    }
  }

  lookUp(tx: Tx, accountId: number): Promise<unknown> {
    return tx.each(checkOrder, (name) => this.#batches[name].lookUp?.(tx, accountId));
  }

  lockKeys(): string[] {
    return loadOrder.flatMap((name) => {
      const items = this.#itemsOf(name);
      return (items.length > 0 && this.#batches[name].lockKeys?.(items)) || [];
    });
  }

  /** Whether `load` needs the account. */
  get loadsByAccount(): boolean {
    return loadOrder.some((name) => sections[name].loadsByAccount && this.#itemsOf(name).length > 0);
  }

  load(tx: Tx, accountId: number, account: Account | undefined): Promise<unknown> {
    return tx.each(loadOrder, (name) => {
      const items = this.#itemsOf(name);
      return items.length > 0 ? this.#batches[name].load?.(tx, accountId, items, account) : undefined;
    });
  }

  /** Replaces each list by its valid items. */
  check(input: ContactWrite, checks: Checks): void {
    const lists = input as Partial<Record<ListName, object[]>>;
    for (const name of checkOrder) {
      const items = lists[name];
      if (items) lists[name] = this.#batches[name].check(items, checks);
    }
  }

  apply(contact: ContactState, input: ContactWrite, command: AppliedCommand): void {
    for (const name of checkOrder) {
      const items = input[name];
      if (items) this.#batches[name].apply(contact, items, command);
    }
  }

  store(step: StoreStep, tx: Tx, account: StoreAccount, stored: Stored<ContactState>): Promise<unknown>[] {
    return storeOrder[step].flatMap((name) => this.#batches[name].store(tx, account, stored));
  }

  #itemsOf(name: ListName): object[] {
    const { lockKeys, load } = this.#batches[name];
    if (!lockKeys && !load) return [];
    const known = this.#items.get(name);
    if (known) return known;
    const items = this.#inputs.flatMap((input) => pick<object>(input[name]));
    this.#items.set(name, items);
    return items;
  }
}

/** The weight of the lists of one command, in rows. */
export function weighLists(input: ContactWrite): number {
  let weight = 0;
  for (const name of checkOrder) {
    const items = input[name] as Sparse<object> | undefined;
    if (!items) continue;
    weight += items.length;
    const { weigh } = sections[name];
    if (weigh) for (const item of items) if (item) weight += weigh(item);
  }
  return weight;
}
