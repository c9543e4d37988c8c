import { dayNumber, dayOf } from '../../src/shared/clock.ts';
import type { Api } from './api.ts';
import { dayCount } from './calendar.ts';
import { addConsentChanges } from './consents.ts';
import { addDuplicates } from './duplicates.ts';
import { addFailedRequests } from './failed-requests.ts';
import { Schedule } from './schedule.ts';
import { finish, setUp } from './setup.ts';
import { makeVenues } from './venues.ts';
import { addVisits } from './visits.ts';
import { addVouchers } from './vouchers.ts';
import { addWaitingPurchases } from './waiting-purchases.ts';

/** The clock of the service. */
export class Clock {
  time = new Date();
  readonly now = (): Date => this.time;
}

export interface LoadOptions {
  /** The last day, in London. All dates count back from it. */
  today: string;
  guests: number;
  signal?: AbortSignal;
  progress?(done: number, of: number): void;
}

/** Sends eighteen months of data, day by day, through the APIs. The same day gives the same data. */
export async function loadDemo(
  api: Api,
  clock: Clock,
  { today, guests, signal, progress }: LoadOptions,
): Promise<void> {
  const venues = makeVenues();
  // Start a month before the first guest.
  clock.time = new Date(`${dayOf(dayNumber(today) - dayCount - 30)}T10:00:00Z`);
  const schedule = new Schedule(today, guests, venues, await setUp(api, venues));
  for (const add of [addVisits, addConsentChanges, addDuplicates, addVouchers, addWaitingPurchases, addFailedRequests])
    add(schedule);

  const of = schedule.length;
  let done = 0;
  progress?.(done, of);
  for (const { at, requests } of schedule.days()) {
    signal?.throwIfAborted();
    clock.time = at;
    for (const atOnce of requests) {
      await Promise.all(
        atOnce.map(async (steps) => {
          for (const send of steps) await send(api);
        }),
      );
      done += atOnce.flat().length;
    }
    progress?.(done, of);
  }
  await finish(api);
}
