/** Of a process that answers requests. More would only queue inside PostgreSQL instead of here. */
const most = 10;
/** With fewer, two long calls would leave too little to the others. */
const fewest = 4;
/** What workers have between them, as far as the fewest go. */
const ofAllWorkers = 40;
/** For what the main process does beside them. */
const besides = 4;
/** Of the jobs, and the one that tells who uses an embedded server. */
const ofJobsAndHold = 6;

/** How many connections to the database each process may have open. */
export function connectionsOfEach(workers: number): { main: number; worker: number } {
  if (workers === 1) return { main: most, worker: 0 };
  return { main: besides, worker: Math.min(most, Math.max(fewest, Math.floor(ofAllWorkers / workers))) };
}

export function connectionsInAll(workers: number): number {
  const { main, worker } = connectionsOfEach(workers);
  return main + workers * worker + ofJobsAndHold;
}
