import type { Tx } from '../../../platform/db/database.ts';
import { checkItems, isComplete, type ReadItem } from '../../../shared/read.ts';
import { addChanges } from '../../figures/schema.ts';
import {
  type AnyItem,
  type AppliedCommand,
  addId,
  type Checks,
  type Section,
  type SectionBatch,
  type SectionContact,
  type StoreAccount,
  type Stored,
  unitIsValid,
  withContact,
} from '../../identity/sections/section.ts';
import type { NewWifi } from './schema.ts';
import { insertWifi, type WifiRow, wifiRow, wifiVisits } from './store.ts';

class WifiBatch implements SectionBatch<NewWifi> {
  readonly #added: { row: Omit<WifiRow, 'contact_id'>; contact: SectionContact }[] = [];

  references({ unit_id }: AnyItem<NewWifi>, units: Set<number>): void {
    addId(units, unit_id);
  }

  check(all: ReadItem<NewWifi>[], checks: Checks): NewWifi[] {
    return checkItems(all, (wifi, index) =>
      unitIsValid(wifi, `wifi.${index}`, checks) && isComplete(wifi) ? wifi : undefined,
    );
  }

  apply(contact: SectionContact, all: NewWifi[], { account, receivedAt }: AppliedCommand): void {
    const of = { rootUnitId: account.root_unit_id, timeZone: account.time_zone, receivedAt };
    for (const wifi of all) this.#added.push({ row: wifiRow(wifi, of), contact });
  }

  store(tx: Tx, { id: accountId }: StoreAccount, { figures }: Stored<SectionContact>): Promise<unknown>[] {
    if (this.#added.length === 0) return [];
    const rows = withContact(this.#added);
    addChanges(figures, { added: wifiVisits(rows) });
    return [insertWifi(tx, accountId, rows)];
  }
}

export const wifiSection: Section<NewWifi> = { begin: () => new WifiBatch() };
