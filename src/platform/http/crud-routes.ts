import type { Static, TObject, TSchema } from 'typebox';
import { NoFields, type Rows } from '../../shared/fields.ts';
import { pascal } from '../../shared/phrases.ts';
import { present } from '../../shared/present.ts';
import type { FieldErrors } from '../../shared/problem.ts';
import { textIn } from '../../shared/record.ts';
import type { Tx } from '../db/database.ts';
import type { Call } from './call.ts';
import { jsonRoute, listRoute, noContentRoute, type Route } from './route.ts';

type Verb = 'create' | 'list' | 'show' | 'change' | 'remove';

/** Errors that only the database can find, for a creation or a change with other errors. */
type AlsoCheck = (tx: Tx, call: Call<unknown, string>) => Promise<FieldErrors>;

interface Managed<C extends TObject, M extends TObject, A extends TSchema, B extends TSchema, F extends TObject> {
  /** The path of the collection. One entry is at `path/:id`. */
  path: string;
  id: string;
  /** `unit`, `booking_source`: the code in operation ids and in the actions of the audit trail. */
  kind: string;
  /** The noun in the reference: "unit", "booking source". */
  noun: string;
  plural: string;
  tag: string;
  /** The routes that only owners may use. */
  ownersOnly?: 'all' | readonly Verb[];
  create: C;
  /** The response of create, if it has more than that of show. */
  created?: B;
  change: M;
  response: A;
  /** The filters of the list. */
  filter?: F;
  example: { create: unknown; created?: unknown; change: unknown; response: unknown };
  /** The verb for delete in the reference, if it is another one. */
  removal?: string;
  /** The descriptions in the reference, where the usual ones do not say enough. */
  notes?: { create?: string; list?: string; change?: string; remove?: string };
  alsoCheck?: AlsoCheck;
}

interface Verbs<C, M, A, B, F> {
  create(tx: Tx, call: Call<C>): Promise<B>;
  list(tx: Tx, call: Call<F>): Promise<Rows<A>>;
  show(tx: Tx, call: Call, id: number): Promise<A>;
  change(tx: Tx, call: Call<M>, id: number): Promise<A>;
  remove(tx: Tx, call: Call, id: number): Promise<void>;
}

/** The five routes that the admin API has for everything that staff manage: create, list, show, change, delete. */
export function crudRoutes<
  C extends TObject,
  M extends TObject,
  A extends TSchema,
  B extends TSchema = A,
  F extends TObject = typeof NoFields,
>(spec: Managed<C, M, A, B, F>, verbs: Verbs<Static<C>, Static<M>, Static<A>, Static<B>, Static<F>>): Route[] {
  const { path, id, kind, noun, plural, tag, example, notes = {} } = spec;
  const one = `${path}/:${id}`;
  const article = /^[aeio]/.test(noun) ? 'an' : 'a';
  const shared = { access: 'admin', tag } as const;
  const checks = spec.alsoCheck ? { alsoCheck: spec.alsoCheck } : {};
  const { ownersOnly = [] } = spec;
  const by = (verb: Verb) =>
    ownersOnly === 'all' || ownersOnly.includes(verb) ? { ...shared, role: 'owner' as const } : shared;
  const idOf = (call: Call<unknown, string>) => present(call.ids[id], 'id');
  return [
    jsonRoute(
      {
        ...by('create'),
        method: 'POST',
        path,
        operationId: `adminCreate${pascal(kind)}`,
        action: `${kind}.create`,
        summary: `Create ${article} ${noun}`,
        description: notes.create ?? `Returns the new ${noun}.`,
        input: spec.create,
        ...checks,
        response: (spec.created ?? spec.response) as B,
        status: 201,
        example: { input: example.create, response: example.created ?? example.response },
      },
      (tx, call) => withSubject(call, verbs.create(tx, call)),
    ),
    listRoute(
      {
        ...by('list'),
        method: 'GET',
        path,
        operationId: `adminList${pascal(path.split('/').at(-1) ?? '')}`,
        summary: `List ${plural}`,
        description: notes.list ?? 'Sorted by id.',
        input: (spec.filter ?? NoFields) as F,
        response: spec.response,
        example: { response: example.response },
      },
      (tx, call) => verbs.list(tx, call),
    ),
    jsonRoute(
      {
        ...by('show'),
        method: 'GET',
        path: one,
        operationId: `adminGet${pascal(kind)}`,
        summary: `Show ${article} ${noun}`,
        description: `Returns 404 if there is no such ${noun}.`,
        input: NoFields,
        response: spec.response,
        example: { response: example.response },
      },
      (tx, call) => verbs.show(tx, call, idOf(call)),
    ),
    jsonRoute(
      {
        ...by('change'),
        method: 'PATCH',
        path: one,
        operationId: `adminUpdate${pascal(kind)}`,
        action: `${kind}.update`,
        summary: `Change ${article} ${noun}`,
        description: notes.change ?? 'Only the name can be changed.',
        input: spec.change,
        ...checks,
        response: spec.response,
        example: { input: example.change, response: example.response },
      },
      (tx, call) => withSubject(call, verbs.change(tx, call, idOf(call))),
    ),
    noContentRoute(
      {
        ...by('remove'),
        method: 'DELETE',
        path: one,
        operationId: `adminDelete${pascal(kind)}`,
        action: `${kind}.${spec.removal?.toLowerCase() ?? 'delete'}`,
        summary: `${spec.removal ?? 'Delete'} ${article} ${noun}`,
        description: notes.remove ?? `Returns 404 if there is no such ${noun}.`,
        input: NoFields,
      },
      async (tx, call) => {
        // The name is read before it is deleted.
        await withSubject(call, verbs.show(tx, call, idOf(call)));
        await verbs.remove(tx, call, idOf(call));
      },
    ),
  ];
}

/** Sets the subject of the audit event: the name, the e-mail and role of a user, or the address of a webhook. */
async function withSubject<T>(call: Call<unknown, string>, shown: Promise<T>): Promise<T> {
  const thing = await shown;
  const [name, email, role] = ['name', 'email', 'role'].map((field) => textIn(thing, field));
  call.setSubject(name ?? (role === undefined ? (email ?? textIn(thing, 'url')) : `${email} (${role})`) ?? '');
  return thing;
}
