import { afterAll } from 'vitest';
import { cleanUp } from './leftovers.ts';

// A worker keeps its modules from file to file; this one alone is run anew for each.
afterAll(cleanUp);
