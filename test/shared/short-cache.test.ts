import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ShortCache } from '../../src/shared/short-cache.ts';

describe('a short cache', () => {
  it('loads once for concurrent requests, and again after its time', async () => {
    let asked = 0;
    const cache = new ShortCache(20, async (key) => `${key}${++asked}`);
    expect(await Promise.all([cache.get('a'), cache.get('a'), cache.get('b')])).toEqual(['a1', 'a1', 'b2']);
    await pause(30);
    expect(await cache.get('a')).toBe('a3');
  });
  it('discards a value whose load began too long ago', async () => {
    let asked = 0;
    const cache = new ShortCache(20, async () => {
      const mine = ++asked;
      await pause(mine === 1 ? 60 : 0);
      return mine;
    });
    const slow = cache.get('a');
    await pause(30);
    expect(await cache.get('a')).toBe(2);
    expect(await slow).toBe(1);
    expect(await cache.get('a')).toBeGreaterThan(1);
  });
  it('does not cache failures', async () => {
    let asked = 0;
    const cache = new ShortCache(1000, async () => {
      if (++asked === 1) throw new Error('away');
      return asked;
    });
    await expect(cache.get('a')).rejects.toThrow('away');
    expect(await cache.get('a')).toBe(2);
  });
  it('removes everything when cleared, including running loads', async () => {
    let asked = 0;
    const cache = new ShortCache(1000, async () => ++asked);
    const first = cache.get('a');
    cache.clear();
    expect(await cache.get('a')).toBe(2);
    expect(await first).toBe(1);
    expect(await cache.get('a')).toBe(2);
  });
  it('has a maximum size', async () => {
    let asked = 0;
    const cache = new ShortCache(60_000, async () => ++asked, 2);
    for (const key of ['a', 'b', 'c']) await cache.get(key);
    expect(await cache.get('a')).toBe(4);
  });
});
