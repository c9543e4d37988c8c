import { describe, expect, it } from 'vitest';
import { createLimits } from '../../../src/platform/http/limits.ts';
import { TooMany } from '../../../src/shared/problem.ts';

const email = 'olivia@harbour.example';
const network = (n: number) => `10.${n >> 8}.${n & 255}.1`;

/** How many of the tries are let through. */
function passes(times: number, attempt: (n: number) => unknown): number {
  let passed = 0;
  for (let n = 0; n < times; n++) {
    try {
      attempt(n);
      passed++;
    } catch (error) {
      expect(error).toBeInstanceOf(TooMany);
    }
  }
  return passed;
}

describe('wrong passwords', () => {
  it('from any number of other networks do not block a user’s attempts', () => {
    const limits = createLimits(0);
    expect(passes(500, (n) => limits.guess(network(n), email))).toBe(500);
    expect(passes(1, () => limits.guess('192.0.2.1', email))).toBe(1);
  });

  it('leave each network one free attempt, not five, while many networks guess one e-mail', () => {
    const limits = createLimits(0);
    expect(passes(9, () => limits.guess('192.0.2.1', email))).toBe(5);
    passes(200, (n) => limits.guess(network(n), email));
    expect(passes(9, () => limits.guess('192.0.2.2', email))).toBe(1);
    expect(passes(9, () => limits.guess('192.0.2.2', 'another@harbour.example'))).toBe(5);
  });

  it('leave all attempts to a network from which the user has signed in before', () => {
    const limits = createLimits(0);
    limits.guess('192.0.2.1', email);
    limits.forgive('192.0.2.1', email);
    passes(200, (n) => limits.guess(network(n), email));
    expect(passes(9, () => limits.guess('192.0.2.1', email))).toBe(5);
  });

  it('are not counted if the password was not checked', () => {
    const limits = createLimits(0);
    for (let n = 0; n < 300; n++) {
      limits.guess('192.0.2.1', email);
      limits.takeBack('192.0.2.1', email);
    }
    expect(passes(9, () => limits.guess('192.0.2.1', email))).toBe(5);
  });

  it('are not counted if the attempt was rejected', () => {
    const limits = createLimits(0);
    expect(passes(50, () => limits.guess('192.0.2.1', email))).toBe(5);
    // The network has five of its ten a minute left for others.
    expect(passes(50, () => limits.guess('192.0.2.1', 'another@harbour.example'))).toBe(5);
  });
});

describe('wrong tokens', () => {
  it('are limited to sixty different ones per minute and network', () => {
    const limits = createLimits(0);
    // More than twice as many: a minute may end in between.
    expect(passes(200, (n) => limits.refuseToken('192.0.2.1', `token ${n}`))).toBeLessThanOrEqual(120);
    expect(passes(1, () => limits.refuseToken('192.0.2.2', 'token'))).toBe(1);
  });

  it('may be repeated without limit', () => {
    const limits = createLimits(0);
    expect(passes(500, () => limits.refuseToken('192.0.2.1', 'revoked'))).toBe(500);
    expect(passes(2000, () => limits.refuseToken('192.0.2.1', 'revoked'))).toBeLessThan(1200);
  });
});
