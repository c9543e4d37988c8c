import type { Tx } from '../../../platform/db/database.ts';
import { completeItems, type PartialInput, type ReadItem } from '../../../shared/read.ts';
import { recordOf } from '../../../shared/record.ts';
import type { Account } from '../../access/accounts/schema.ts';
import type {
  AppliedCommand,
  Checks,
  Section,
  SectionBatch,
  StoreAccount,
  Stored,
} from '../../identity/sections/section.ts';
import type { ContactState } from './contact-state.ts';
import type { ContactWrite, ListName } from './schema.ts';
import { checkOrder, type StoreStep, sections, storeOrder } from './sections.ts';

/** A section whose items are of any type. */
type AnyBatch = SectionBatch<object, ContactState>;
type SentLists = Pick<PartialInput<ContactWrite>, ListName>;
type ValidLists = Pick<ContactWrite, ListName>;

const loadOrder = Object.values(storeOrder).flat();

/** The sections of one batch. Each method calls the sections that the commands have lists for. */
export class BatchSections {
  readonly #batches: Record<ListName, AnyBatch>;
  /** The complete items of the batch, for the sections that lock or load by them. */
  readonly #items = new Map<ListName, object[]>();
  readonly #inputs: SentLists[];

  constructor(inputs: SentLists[] = []) {
    this.#inputs = inputs;
    this.#batches = recordOf(checkOrder, (name): AnyBatch => sections[name].begin());
  }

  /** Collects the ids that the lists name. Units are collected for all sections together. */
  collectReferences(units: Set<number>): void {
    for (const input of this.#inputs) {
      for (const name of checkOrder) {
        const batch = this.#batches[name];
        for (const item of input[name] ?? []) if (item) batch.references?.(item, units);
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

  /** The valid items of each list. */
  check(input: SentLists, checks: Checks): ValidLists {
    const valid: Partial<Record<ListName, object[]>> = {};
    for (const name of checkOrder) {
      const items = input[name];
      if (items) valid[name] = this.#batches[name].check(items, checks);
    }
    // Each section returns items of its own list. The loop over the names loses that type.
    return valid as ValidLists;
  }

  apply(contact: ContactState, input: ValidLists, command: AppliedCommand): void {
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
    const items = this.#inputs.flatMap((input) => completeItems<ReadItem<object>>(input[name]));
    this.#items.set(name, items);
    return items;
  }
}

/** The weight of the lists of one command, in rows. */
export function weighLists(input: SentLists): number {
  let weight = 0;
  for (const name of checkOrder) {
    const items = input[name] ?? [];
    weight += items.length;
    const { weigh }: Section<object, ContactState> = sections[name];
    if (weigh) for (const item of items) if (item) weight += weigh(item);
  }
  return weight;
}
