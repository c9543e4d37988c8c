import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { connectTo } from '../../support/database.ts';
import { fresh } from '../../support/till.ts';
import { accepted, raw, refusal, shop } from '../../support/vouchers.ts';

const { app, admin, call, database } = await testApp();
const superuser = await connectTo(database.superuserUrl);
const [home, away] = [await shop({ admin, call }), await shop({ admin, call })];
const { newGroup, newCode, newContact, make, add, list, total, redeemed } = home;
const unknown = 999_999_999;
interface Code {
  id: number;
  unique_code: string;
  status: string;
}
const texts = (codes: Code[]) => codes.map((one) => one.unique_code);
/** All of a group's codes, from all its pages. */
const all = async (group: number): Promise<Code[]> => {
  const codes: Code[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const body = accepted(await list(group, `?page=${page}`));
    codes.push(...body.data);
    last = body.last_page;
  }
  return codes;
};

describe('importing codes', () => {
  it('creates each of them, unassigned and Active', async () => {
    const [group, codes] = [await newGroup(), [fresh('CODE'), fresh('CODE'), fresh('code')]];
    const answer = await make(group, { codes });
    expect([answer.status, answer.body]).toEqual([201, { created: 3 }]);
    expect(accepted(await list(group)).data).toEqual(
      codes.map((unique_code) => ({
        ...{ id: expect.any(Number), unique_code, unique_code_group_id: group, status: 'Active', contact_id: null },
        ...{ contact_name: null, assigned_at: null },
        ...{ redeemed_at_datetime: null, redeemed_at_unit_id: null, redeemed_at_unit_name: null },
        created_at: expect.any(String),
      })),
    );
  });
  it('counts only new ones: a group contains a code once, regardless of case', async () => {
    const group = await newGroup();
    expect(await add(group, 'Alpha', 'ALPHA', ' alpha ', 'beta', 'beta')).toBe(2);
    expect(await add(group, 'BETA', 'gamma')).toBe(1);
    expect(await add(group, 'alpha', 'Beta', 'GAMMA')).toBe(0);
    expect(texts(await all(group)).map((code) => code.toLowerCase())).toEqual(['alpha', 'beta', 'gamma']);
  });
  it('leaves existing codes of the group unchanged', async () => {
    const contact = await newContact();
    const { group, unique_code } = await newCode(fresh('CODE'), contact);
    const answer = await redeemed({ unique_code });
    expect(await add(group, unique_code.toLowerCase())).toBe(0);
    expect(await home.checked({ unique_code })).toEqual(answer);
  });
  it('distinguishes leading zeros, and accepts numbers', async () => {
    const group = await newGroup();
    expect(await add(group, '007', '07', 7, '7')).toBe(3);
    expect(texts(await all(group))).toEqual(['007', '07', '7']);
  });
  it('accepts a code that another group has', async () => {
    const [{ unique_code }, other] = [await newCode(), await newGroup()];
    expect(await add(other, unique_code)).toBe(1);
  });
  it('concurrently creates each code once', async () => {
    const [group, codes] = [await newGroup(), Array.from({ length: 500 }, () => fresh('CODE'))];
    const created = await Promise.all([add(group, ...codes), add(group, ...codes.toReversed()), add(group, ...codes)]);
    expect(created.reduce((sum, one) => sum + one)).toBe(500);
    expect(texts(await all(group)).sort()).toEqual(codes.sort());
  });
});

describe('generating codes', () => {
  it.each([
    ['10 random characters', { count: 1234 }, '', 10],
    ['the given length', { count: 40, length: 16 }, '', 16],
    ['those after the prefix', { count: '40', prefix: 'SUMMER-', length: '8' }, 'SUMMER-', 8],
    ['10 after a prefix with characters that they never have', { count: 40, prefix: 'OIL10' }, 'OIL10', 10],
  ])('creates exactly that many, of %s', async (_, body, prefix, length) => {
    const group = await newGroup();
    expect(accepted(await make(group, body), 201)).toEqual({ created: Number(body.count) });
    const codes = await all(group);
    expect(new Set(texts(codes)).size).toBe(Number(body.count));
    for (const { unique_code, status } of codes) {
      expect(unique_code.startsWith(prefix)).toBe(true);
      expect(unique_code.slice(prefix.length)).toMatch(new RegExp(`^[A-Z2-9]{${length}}$`));
      expect(unique_code.slice(prefix.length)).not.toMatch(/[0O1IL]/);
      expect(status).toBe('Active');
    }
  });
  it('creates different ones each time, which can be redeemed', async () => {
    const group = await newGroup();
    for (let time = 0; time < 3; time++) accepted(await make(group, { count: 50, length: 8 }), 201);
    const codes = texts(await all(group));
    expect(new Set(codes).size).toBe(150);
    expect((await redeemed({ unique_code: codes[77]?.toLowerCase() })).unique_code).toBe(codes[77]);
  });
  it('uses every character in every position', async () => {
    const group = await newGroup();
    accepted(await make(group, { count: 2000, length: 10 }), 201);
    const codes = texts(await all(group));
    const everywhere = [...new Set(codes.join(''))].sort();
    expect(everywhere.length).toBeGreaterThanOrEqual(20);
    for (let place = 0; place < 10; place++)
      expect([...new Set(codes.map((code) => code[place]))].sort()).toEqual(everywhere);
  });
  it('concurrently creates the sum of all requested codes', async () => {
    const group = await newGroup();
    await Promise.all(Array.from({ length: 4 }, async () => accepted(await make(group, { count: 100 }), 201)));
    expect(new Set(texts(await all(group))).size).toBe(400);
  });
});

describe('two concurrent imports', () => {
  it('of the same codes in another order do not deadlock', async () => {
    const deadlocks = async () =>
      Number(
        (await superuser`select deadlocks from pg_stat_database where datname = current_database()`)[0]?.deadlocks,
      );
    const before = await deadlocks();
    for (let turn = 0; turn < 5; turn++) {
      const group = await newGroup();
      const codes = Array.from({ length: 3000 }, (_, n) => `C${n}`);
      const answers = await Promise.all([codes, [...codes].reverse()].map((codes) => make(group, { codes })));
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(answers.map(({ body }) => body.created).sort()).toEqual([0, 3000]);
    }
    // The server counts a connection's deadlocks once that is idle.
    await pause(1500);
    expect(await deadlocks()).toBe(before);
  });
});

describe('codes are rejected', () => {
  it('if the existing codes of the group would make one easy to guess', async () => {
    const group = await newGroup();
    // 24^6 codes of six characters, and a guess may hit once in 100,000: 1,911 of them at most.
    const alike = { length: 6, prefix: 'Ab-' };
    accepted(await make(group, { ...alike, count: 1000 }), 201);
    accepted(await make(group, { ...alike, count: 911 }), 201);
    expect(refusal(await make(group, { ...alike, prefix: 'AB-', count: 1 }))).toEqual(['length']);
    expect(await total(group)).toBe(1911);
    accepted(await make(group, { ...alike, prefix: 'C', count: 1 }), 201);
    accepted(await make(group, { ...alike, length: 7, count: 1 }), 201);
  });

  it.each([
    ['neither of count and codes', {}, ['codes', 'count']],
    ['a prefix alone', { prefix: 'SUMMER-', length: 10 }, ['codes', 'count']],
    ['both of count and codes', { count: 5, codes: ['A'] }, ['codes', 'count']],
    ['a count of 0', { count: 0 }, ['count']],
    ['a negative count', { count: -1 }, ['count']],
    ['more than a million', { count: 1_000_001 }, ['count']],
    ['a count of letters', { count: 'x' }, ['count']],
    ['half a code', { count: 1.5 }, ['count']],
    ['random parts too short for that many codes', { count: 1_000_000, length: 4 }, ['length']],
    ['random parts that could be guessed', { count: 1000, length: 4 }, ['length']],
    ['random parts of one character', { count: 1, length: 1 }, ['length']],
    ['a length of letters', { count: 1, length: 'x' }, ['length']],
    ['a count and a length that are both wrong', { count: 0, length: 'x' }, ['count', 'length']],
    ['an empty list', { codes: [] }, ['codes']],
    ['a code too long', { codes: ['A', 'x'.repeat(256)] }, ['codes.1']],
    ['blank codes', { codes: ['A', '', 'B', ' ', null] }, ['codes.1', 'codes.3', 'codes.4']],
    ['a code that is not text', { codes: [{}, 'A', ['B']] }, ['codes.0', 'codes.2']],
  ])('for %s', async (_, body, expected) => {
    const group = await newGroup();
    expect(refusal(await make(group, body))).toEqual(expected);
    expect(await total(group)).toBe(0);
  });
  it('for an unknown group', async () => {
    const there = await away.newGroup();
    for (const group of [unknown, there, 'x']) {
      expect((await make(group, { count: 5 })).status).toBe(404);
      expect((await make(group, { codes: ['A'] })).status).toBe(404);
    }
    expect(await away.total(there)).toBe(0);
  });
  it('if a partner sends them', async () => {
    const group = await newGroup();
    const path = `/admin/v1${home.base}/unique_code_groups/${group}/codes`;
    const { status } = await call('POST', path, { token: home.token, body: { count: 5 } });
    expect([401, 403]).toContain(status);
    expect(await total(group)).toBe(0);
  });
});

describe('with Accept: application/x-ndjson', () => {
  const createWithProgress = async (group: number | string, body: object) => {
    const path = `${home.base}/unique_code_groups/${group}/codes`;
    const answer = await raw(app, 'POST', path, 'application/x-ndjson', body);
    return { ...answer, statusCode: answer.statusCode, lines: answer.body.split('\n'), headers: answer.headers };
  };
  it('generating reports progress line by line, and the result last', async () => {
    const group = await newGroup();
    const { statusCode, headers, lines } = await createWithProgress(group, { count: 25_000 });
    expect([statusCode, headers['content-type']]).toEqual([201, expect.stringMatching(/^application\/x-ndjson/)]);
    expect(lines.pop()).toBe('');
    const read = lines.map((line) => JSON.parse(line));
    expect(read.pop()).toEqual({ created: 25_000 });
    expect(read.length).toBeGreaterThan(0);
    let before = -1;
    for (const line of read) {
      expect(line).toEqual({ done: expect.any(Number), of: 25_000 });
      expect(line.done).toBeGreaterThan(before);
      before = line.done;
    }
    expect(before).toBeLessThanOrEqual(25_000);
    expect(await total(group)).toBe(25_000);
  });
  it('importing ends with the number of new codes', async () => {
    const { statusCode, lines } = await createWithProgress(await newGroup(), { codes: ['a', 'A', 'b'] });
    expect([statusCode, JSON.parse(lines.at(-2) as string)]).toEqual([201, { created: 2 }]);
  });
  it('an invalid request is still a 422', async () => {
    const group = await newGroup();
    const { statusCode, body } = await createWithProgress(group, { count: 0 });
    expect([statusCode, Object.keys(JSON.parse(body).errors)]).toEqual([422, ['count']]);
    expect((await createWithProgress(unknown, { count: 5 })).statusCode).toBe(404);
    expect(await total(group)).toBe(0);
  });
});
