import type { Tx } from '../../../platform/db/database.ts';
import { onClock } from '../../../shared/clock.ts';
import { feedbackTypes, idOf, npsCategory } from '../../../shared/codes.ts';
import { pick } from '../../../shared/read.ts';
import {
  type AppliedCommand,
  addId,
  type Checks,
  type Section,
  type SectionBatch,
  type SectionContact,
  type StoreAccount,
  withContact,
} from '../../identity/sections/section.ts';
import { lookupKinds } from '../../venues/lookups/schema.ts';
import { existing } from '../../venues/lookups/store.ts';
import type { NewFeedback } from './schema.ts';
import { type FeedbackRow, insertFeedback, newFeedbackIds } from './store.ts';

class FeedbackBatch implements SectionBatch<NewFeedback> {
  readonly #categoryIds = new Set<number>();
  #knownCategories = new Set<number>();
  #ids: number[] = [];
  readonly #added: { row: Omit<FeedbackRow, 'contact_id'>; contact: SectionContact }[] = [];

  references({ unit_id, ratings }: Partial<NewFeedback>, units: Set<number>): void {
    addId(units, unit_id);
    for (const rating of ratings ?? []) addId(this.#categoryIds, rating?.category_id);
  }

  async lookUp(tx: Tx, accountId: number): Promise<void> {
    if (this.#categoryIds.size === 0) return;
    const known = await existing(tx, lookupKinds.feedbackCategories, accountId, [...this.#categoryIds]);
    this.#knownCategories = new Set(known);
  }

  /** Takes the ids under the locks, so that their order is the order in which feedback was given. */
  async load(tx: Tx, _: number, feedback: NewFeedback[]): Promise<void> {
    this.#ids = await newFeedbackIds(tx, feedback.length);
  }

  check(all: NewFeedback[], { refuse, unitExists }: Checks): NewFeedback[] {
    return pick(all, ({ unit_id, comments, ratings, ...feedback }, index) => ({
      ...feedback,
      ...(unit_id !== undefined && unitExists(unit_id, `feedback.${index}.unit_id`) ? { unit_id } : {}),
      comments: pick(comments),
      ratings: pick(ratings, (rating, place) => {
        const path = `feedback.${index}.ratings.${place}`;
        if (!this.#knownCategories.has(rating.category_id)) {
          return refuse(`${path}.category_id`, 'The category id is not a feedback category of this account.');
        }
        if (rating.category_id !== npsCategory || isNps(rating.rating_text)) return rating;
        return refuse(`${path}.rating_text`, 'The rating text must be a number from 0 to 10 for NPS.');
      }),
    }));
  }

  apply(contact: SectionContact, all: NewFeedback[], { account, receivedAt }: AppliedCommand): void {
    for (const feedback of all) {
      const row = {
        id: this.#ids[this.#added.length] as number,
        type_id: feedback.type_id ?? idOf(feedbackTypes, 'unknown'),
        source_id: feedback.source_id ?? null,
        unit_id: feedback.unit_id ?? account.root_unit_id,
        comments: (feedback.comments ?? []).map(({ type = null, note }) => ({ type, note })),
        ratings: (feedback.ratings ?? []).map(({ contact_note = null, ...rating }) => ({ ...rating, contact_note })),
        created_at: onClock(feedback.created_at ?? receivedAt, account.time_zone),
      };
      this.#added.push({ row, contact });
    }
  }

  store(tx: Tx, { id: accountId }: StoreAccount): Promise<unknown>[] {
    return this.#added.length > 0 ? [insertFeedback(tx, accountId, withContact(this.#added))] : [];
  }
}

function isNps(text: string): boolean {
  return /^\d{1,2}(\.\d{1,4})?$/.test(text) && Number(text) <= 10;
}

export const feedbackSection: Section<NewFeedback> = {
  weigh: ({ comments = [], ratings = [] }) => comments.length + ratings.length,
  begin: () => new FeedbackBatch(),
};
