import type { Tx } from '../../../platform/db/database.ts';
import { pick } from '../../../shared/read.ts';
import {
  type AppliedCommand,
  addId,
  atUnit,
  type Checks,
  type Section,
  type SectionBatch,
  type SectionContact,
  type StoreAccount,
  withContact,
} from '../../identity/sections/section.ts';
import type { NewWifi } from './schema.ts';
import { insertWifi, type WifiRow, wifiRow } from './store.ts';

class WifiBatch implements SectionBatch<NewWifi> {
  readonly #added: { row: Omit<WifiRow, 'contact_id'>; contact: SectionContact }[] = [];

  references({ unit_id }: Partial<NewWifi>, units: Set<number>): void {
    addId(units, unit_id);
  }

  check(all: NewWifi[], checks: Checks): NewWifi[] {
    return pick(all, (wifi, index) => atUnit(wifi, `wifi.${index}`, checks));
  }

  apply(contact: SectionContact, all: NewWifi[], { account, receivedAt }: AppliedCommand): void {
    const of = { rootUnitId: account.root_unit_id, timeZone: account.time_zone, receivedAt };
    for (const wifi of all) this.#added.push({ row: wifiRow(wifi, of), contact });
  }

  store(tx: Tx, { id: accountId }: StoreAccount): Promise<unknown>[] {
    return this.#added.length > 0 ? [insertWifi(tx, accountId, withContact(this.#added))] : [];
  }
}

export const wifiSection: Section<NewWifi> = { begin: () => new WifiBatch() };
