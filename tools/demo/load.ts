import { dayNumber, dayOf } from '../../src/shared/clock.ts';
import type { Api } from './api.ts';
import { dayCount } from './calendar.ts';
import { addChangesOfMind } from './consents.ts';
import { addMishaps } from './mishaps.ts';
import { finish, setUp } from './setup.ts';
import { Story } from './story.ts';
import { addStrays } from './strays.ts';
import { addTangles } from './tangles.ts';
import { makeVenues } from './venues.ts';
import { addVisits } from './visits.ts';
import { addVouchers } from './vouchers.ts';

/** The time as the service is told it. */
export class Clock {
  time = new Date();
  readonly now = (): Date => this.time;
}

export interface LoadOptions {
  /** The day that all dates count back from, in London. */
  today: string;
  guests: number;
  signal?: AbortSignal;
  progress?(done: number, of: number): void;
}

/**
 * Tells the service of eighteen months, day by day, in the words of partners and staff. The same day gives the same
 * story.
 */
export async function loadDemo(
  api: Api,
  clock: Clock,
  { today, guests, signal, progress }: LoadOptions,
): Promise<void> {
  const venues = makeVenues();
  // A month before the first guest.
  clock.time = new Date(`${dayOf(dayNumber(today) - dayCount - 30)}T10:00:00Z`);
  const story = new Story(today, guests, venues, await setUp(api, venues));
  for (const add of [addVisits, addChangesOfMind, addTangles, addVouchers, addStrays, addMishaps]) add(story);

  const of = story.length;
  let done = 0;
  progress?.(done, of);
  for (const { at, told } of story.days()) {
    signal?.throwIfAborted();
    clock.time = at;
    for (const atOnce of told) {
      await Promise.all(
        atOnce.map(async (inTurn) => {
          for (const tell of inTurn) await tell(api);
        }),
      );
      done += atOnce.flat().length;
    }
    progress?.(done, of);
  }
  await finish(api);
}
