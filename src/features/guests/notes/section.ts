import type { Tx } from '../../../platform/db/database.ts';
import { toLocalTime } from '../../../shared/clock.ts';
import { completeItems, type ReadItem } from '../../../shared/read.ts';
import {
  type AppliedCommand,
  type Section,
  type SectionBatch,
  type SectionContact,
  type StoreAccount,
  withContact,
} from '../../identity/sections/section.ts';
import { noteAdded } from './event-schema.ts';
import type { NewNote } from './schema.ts';
import { insertNotes, type NoteRow } from './store.ts';

class NotesBatch implements SectionBatch<NewNote> {
  readonly #added: { row: Omit<NoteRow, 'contact_id'>; contact: SectionContact }[] = [];

  check(notes: ReadItem<NewNote>[]): NewNote[] {
    return completeItems(notes);
  }

  apply(contact: SectionContact, notes: NewNote[], { account, receivedAt, record }: AppliedCommand): void {
    for (const { text, created_at = receivedAt } of notes) {
      const row = { text, created_at: toLocalTime(created_at, account.time_zone) };
      this.#added.push({ row, contact });
      record(() => noteAdded.of({ contact_id: contact.row.id, ...row }));
    }
  }

  store(tx: Tx, { id: accountId }: StoreAccount): Promise<unknown>[] {
    return this.#added.length > 0 ? [insertNotes(tx, accountId, withContact(this.#added))] : [];
  }
}

export const notesSection: Section<NewNote> = { begin: () => new NotesBatch() };
