import { isAfter } from '../../../../shared/event-id.ts';
import type { Job } from './job.ts';

/**
 * The jobs of each contact, in the order of their events. Only the first job of all its contacts may be sent. The jobs of
 * other contacts do not wait for it.
 */
export class ContactOrder {
  readonly #queues = new Map<number, Job[]>();

  add(job: Job): void {
    for (const id of job.contactIds) {
      const queue = this.#queues.get(id);
      if (!queue) {
        this.#queues.set(id, [job]);
        continue;
      }
      // Mostly at the end. After a replay, an earlier event can follow a later one, but not overtake one in flight.
      let place = queue.length;
      while (place > 0) {
        const before = queue[place - 1];
        if (!before || before.isInFlight || !isAfter(before, job)) break;
        place--;
      }
      queue.splice(place, 0, job);
    }
  }

  /** Whether no earlier job of its contacts waits. */
  isNext(job: Job): boolean {
    return job.contactIds.every((id) => this.#queues.get(id)?.[0] === job);
  }

  /** Puts a job behind earlier ones that were added while it was in flight. Returns the jobs that may be sent because of it. */
  moveBack(job: Job): Job[] {
    const hasEarlier = job.contactIds.some((id) => this.#queues.get(id)?.some((other) => isAfter(job, other)));
    if (!hasEarlier) return [];
    const freed = this.remove(job);
    this.add(job);
    return freed.filter((one) => this.isNext(one));
  }

  /** Removes a job that is done. Returns the jobs that may be sent because of it. */
  remove(job: Job): Job[] {
    const freed = new Set<Job>();
    for (const id of job.contactIds) {
      const queue = this.#queues.get(id);
      const place = queue?.indexOf(job) ?? -1;
      if (!queue || place === -1) continue;
      queue.splice(place, 1);
      if (queue[0]) freed.add(queue[0]);
      else this.#queues.delete(id);
    }
    return [...freed].filter((one) => this.isNext(one));
  }
}
