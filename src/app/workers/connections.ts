/** Most connections of a process that serves requests. With more, the queue would only move into PostgreSQL. */
const most = 10;
/** With fewer, two long requests would leave too few for the other requests. */
const fewest = 4;
/** The connections of all workers, if each has more than the minimum. */
const ofAllWorkers = 40;
/** The connections of the main process beside workers. */
const ofMain = 4;
/** The connections of the jobs, and the one that holds the lock on an embedded server. */
const ofJobsAndHold = 6;

/** The connections of the sender of webhooks. One account may use half of them. */
export const ofSender = 4;

/** The number of database connections per process. */
export function connectionsOfEach(workers: number): { main: number; worker: number } {
  if (workers === 1) return { main: most, worker: 0 };
  return { main: ofMain, worker: Math.min(most, Math.max(fewest, Math.floor(ofAllWorkers / workers))) };
}

export function connectionsInAll(workers: number): number {
  const { main, worker } = connectionsOfEach(workers);
  return main + workers * worker + ofJobsAndHold + ofSender;
}
