import { describe, expect, it, vi } from 'vitest';
import { ExpiringMap } from '../../src/shared/expiring-map.ts';

describe('an expiring map', () => {
  it('removes entries after their time', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const values = new ExpiringMap<number>(10);
    values.set('short', 1, 10);
    values.set('long', 2, 20);
    now.mockReturnValue(10);
    expect([values.get('short'), values.get('long'), values.get('other')]).toEqual([undefined, 2, undefined]);
    now.mockRestore();
  });

  it('has a maximum size: a new entry removes the oldest', () => {
    const values = new ExpiringMap<number>(3);
    for (const name of ['a', 'b', 'c', 'a', 'd']) values.set(name, 1, 1000);
    expect(values.size).toBe(3);
    expect(['a', 'b', 'c', 'd'].map((name) => values.get(name))).toEqual([1, undefined, 1, 1]);
    for (let n = 0; n < 10_000; n++) values.set(`flood${n}`, 1, 1000);
    expect(values.size).toBe(3);
  });
});
