import type { Random } from '../../../src/shared/random.ts';
import { adminToken } from '../../bench/load/service.ts';
import type { Operation } from './document.ts';
import type { Draft, Made } from './draft.ts';
import { encode } from './encode.ts';
import type { Fixture, Visitor } from './fixture.ts';
import { breakages } from './hostile/wire.ts';
import { type Mutation, mutations } from './mutations.ts';
import type { Outgoing } from './sending.ts';
import { ValidValues } from './valid-values.ts';

/** Percent of the requests: valid ones, ones with a single change (they are processed furthest), and ones that break HTTP. */
const share = { valid: 15, oneChange: 55, broken: 7 };

/** `only` names the one change of the request, or 'none'. Without it, chance decides. */
export function makeRequest(chance: Random, fixture: Fixture, operation: Operation, only?: string): Made {
  const draft = validRequest(chance, fixture, operation);
  for (const { name, apply } of only === undefined ? randomChanges(chance) : mutations.filter((m) => m.name === only))
    if (apply(draft, chance, fixture) !== false) draft.changes.push(name);
  if (only === undefined && chance.percent(share.broken)) draft.breakage = chance.pick(Object.keys(breakages));
  if (draft.breakage) draft.changes.push(draft.breakage);
  const outgoing = encode(draft, chance);
  return { ...draft, outgoing };
}

function* randomChanges(chance: Random): Generator<Mutation> {
  const roll = chance.below(100);
  const changes = roll < share.valid ? 0 : roll < share.valid + share.oneChange ? 1 : chance.between(2, 6);
  for (let count = 0; count < changes; count++) yield chance.weighted(mutations, ({ weight }) => weight);
}

/** A valid request with the given fields. */
export function requestWith(
  chance: Random,
  fixture: Fixture,
  operation: Operation,
  input: object,
  inBody: boolean,
): Outgoing {
  return encode({ ...validRequest(chance, fixture, operation), input, inBody }, chance);
}

/** A request that is valid by the document and names rows that exist. */
function validRequest(chance: Random, fixture: Fixture, operation: Operation): Draft {
  const isSession = operation.path.startsWith('/admin/v1/session');
  const visitor = isSession ? chance.pick(fixture.visitors) : undefined;
  const values = new ValidValues(chance, fixture, operation, visitor);
  const path = operation.path.split('/').map((part, at, all) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? part : String(values.inPath(name, all[at - 1] ?? ''));
  });
  const input = chance.once(2) ? values.settle(operation.example) : values.sample(operation.input, '');
  const headers = new Map([
    ['host', new URL(fixture.service.url).host],
    // Each visitor has its own address, so that a sign-in limit on one does not affect the others.
    ['x-forwarded-for', visitor ? `10.0.${visitor.id % 250}.${chance.below(250)}` : '192.0.2.1'],
  ]);
  authorize(headers, chance, fixture, operation, visitor);
  const inBody = operation.hasBody || chance.percent(15);
  if (operation.takesKey && chance.percent(25)) headers.set('idempotency-key', `key-${chance.below(500)}`);
  return { operation, method: operation.method, path, input, inBody, headers, visitor, isTooMuch: false, changes: [] };
}

function authorize(
  headers: Map<string, string>,
  chance: Random,
  fixture: Fixture,
  { path }: Operation,
  visitor: Visitor | undefined,
): void {
  const bySession = (user: Visitor | undefined) => {
    headers.set('cookie', `regulars_session=${user?.secret}`);
    headers.set('sec-fetch-site', 'same-origin');
  };
  if (path.startsWith('/v1/')) headers.set('authorization', `Bearer ${fixture.account.token}`);
  else if (visitor && chance.percent(95)) bySession(visitor);
  else if (path.startsWith('/admin/v1/') && chance.percent(90)) headers.set('authorization', `Bearer ${adminToken}`);
  else bySession(chance.pick(Object.values(fixture.users)));
}
