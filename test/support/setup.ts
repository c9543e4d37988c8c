import { afterAll, expect, inject } from 'vitest';
import { setPasswordCost } from '../../src/shared/password.ts';
import { isDistributed } from './database.ts';
import { cleanUp } from './leftovers.ts';
import { collectStatements } from './one-shard.ts';

// A full hash takes half a second. Tests of real processes use the real cost.
setPasswordCost({ N: 2 ** 10, r: 8, p: 1 });

// A worker keeps its modules between files. Only this setup file runs again for each file.
afterAll(cleanUp);

if (isDistributed()) collectStatements(inject('statementsFile'), expect.getState().testPath ?? '');
