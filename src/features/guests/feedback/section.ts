import type { Tx } from '../../../platform/db/database.ts';
import { toLocalTime } from '../../../shared/clock.ts';
import { feedbackTypes, idOf, npsCategory } from '../../../shared/codes.ts';
import { present } from '../../../shared/present.ts';
import { type CompleteItem, checkItems, completeItems, isComplete, type ReadItem } from '../../../shared/read.ts';
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
import { lookupKinds } from '../../venues/lookups/schema.ts';
import { existing } from '../../venues/lookups/store.ts';
import { feedbackReceived } from './event-schema.ts';
import type { NewFeedback, NewRating } from './schema.ts';
import { type FeedbackRow, insertFeedback, newFeedbackIds } from './store.ts';

class FeedbackBatch implements SectionBatch<NewFeedback> {
  readonly #categoryIds = new Set<number>();
  #knownCategories = new Set<number>();
  #ids: number[] = [];
  readonly #added: { row: Omit<FeedbackRow, 'contact_id'>; contact: SectionContact }[] = [];

  references({ unit_id, ratings }: AnyItem<NewFeedback>, units: Set<number>): void {
    addId(units, unit_id);
    for (const rating of ratings ?? []) addId(this.#categoryIds, rating?.category_id);
  }

  async lookUp(tx: Tx, accountId: number): Promise<void> {
    if (this.#categoryIds.size === 0) return;
    const known = await existing(tx, lookupKinds.feedbackCategories, accountId, [...this.#categoryIds]);
    this.#knownCategories = new Set(known);
  }

  /** Takes the ids under the locks, so that their order is the order in which feedback was given. */
  async load(tx: Tx, _: number, feedback: CompleteItem<NewFeedback>[]): Promise<void> {
    this.#ids = await newFeedbackIds(tx, feedback.length);
  }

  check(all: ReadItem<NewFeedback>[], checks: Checks): NewFeedback[] {
    return checkItems(all, (feedback, index) => {
      const path = `feedback.${index}`;
      const unit = unitIsValid(feedback, path, checks);
      const ratings = checkItems(feedback.ratings, (rating, place) =>
        this.#checkRating(rating, `${path}.ratings.${place}`, checks),
      );
      if (!isComplete(feedback)) return undefined;
      const { unit_id, comments, ...rest } = feedback;
      return {
        ...rest,
        // Feedback with an invalid unit is stored at the root unit.
        ...(unit && unit_id !== undefined && { unit_id }),
        comments: completeItems(comments),
        ratings,
      };
    });
  }

  #checkRating(rating: NonNullable<ReadItem<NewRating>>, path: string, { refuse }: Checks): NewRating | undefined {
    const { category_id, rating_text } = rating;
    if (category_id === undefined || !this.#knownCategories.has(category_id)) {
      return refuse(`${path}.category_id`, 'The category id is not a feedback category of this account.');
    }
    if (category_id === npsCategory && (rating_text === undefined || !isNps(rating_text))) {
      return refuse(`${path}.rating_text`, 'The rating text must be a number from 0 to 10 for NPS.');
    }
    return isComplete(rating) ? rating : undefined;
  }

  apply(contact: SectionContact, all: NewFeedback[], { account, receivedAt, record }: AppliedCommand): void {
    for (const feedback of all) {
      const row = {
        id: present(this.#ids[this.#added.length], 'feedback id'),
        type_id: feedback.type_id ?? idOf(feedbackTypes, 'unknown'),
        source_id: feedback.source_id ?? null,
        unit_id: feedback.unit_id ?? account.root_unit_id,
        comments: (feedback.comments ?? []).map(({ type = null, note }) => ({ type, note })),
        ratings: (feedback.ratings ?? []).map(({ contact_note = null, ...rating }) => ({ ...rating, contact_note })),
        created_at: toLocalTime(feedback.created_at ?? receivedAt, account.time_zone),
      };
      this.#added.push({ row, contact });
      const { id: feedback_id, ...fields } = row;
      record(() => feedbackReceived.of({ contact_id: contact.row.id, feedback_id, ...fields }));
    }
  }

  store(tx: Tx, { id: accountId }: StoreAccount, { figures }: Stored<SectionContact>): Promise<unknown>[] {
    if (this.#added.length === 0) return [];
    const rows = withContact(this.#added);
    const isRated = ({ ratings }: FeedbackRow) => ratings.some(({ category_id }) => category_id === npsCategory);
    for (const { contact_id, unit_id, created_at } of rows.filter(isRated)) {
      figures.rated.push(contact_id);
      // The unit counts all ratings, the contact only the latest.
      figures.anonymous.push({ unit_id, day: created_at });
    }
    return [insertFeedback(tx, accountId, rows)];
  }
}

function isNps(text: string): boolean {
  return /^\d{1,2}(\.\d{1,4})?$/.test(text) && Number(text) <= 10;
}

export const feedbackSection: Section<NewFeedback> = {
  weigh: ({ comments = [], ratings = [] }) => comments.length + ratings.length,
  begin: () => new FeedbackBatch(),
};
