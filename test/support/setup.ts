import { afterAll } from 'vitest';
import { cleanUp } from './leftovers.ts';

// A worker keeps its modules between files. Only this setup file runs again for each file.
afterAll(cleanUp);
