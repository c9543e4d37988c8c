import { afterAll, describe, expect, it } from 'vitest';
import { dummyHash, hashPassword, passwordCost, setPasswordCost, verifyPassword } from '../../src/shared/password.ts';

const cheap = { N: 2 ** 10, r: 8, p: 1 };
afterAll(() => setPasswordCost(cheap));
const origin = { network: 'test' };

describe('a password hash', () => {
  it('takes 64 MiB and two passes unless a test lowers the cost', async () => {
    setPasswordCost(passwordCost);
    expect(await hashPassword('correct horse')).toMatch(/^scrypt\$65536\$8\$2\$/);
    expect(dummyHash()).toMatch(/^scrypt\$65536\$8\$2\$/);
  });

  it('stays valid when the cost changes', async () => {
    setPasswordCost(cheap);
    const stored = await hashPassword('correct horse');
    setPasswordCost(passwordCost);
    expect(await verifyPassword('correct horse', stored, origin)).toBe(true);
    expect(await verifyPassword('wrong horse', stored, origin)).toBe(false);
  });

  it('is the same for two ways to write the same letters', async () => {
    setPasswordCost(cheap);
    expect(await verifyPassword('caf\u00e9', await hashPassword('cafe\u0301'), origin)).toBe(true);
  });

  it('of an unknown user matches no password', async () => {
    expect(await verifyPassword('', dummyHash(), origin)).toBe(false);
  });
});
