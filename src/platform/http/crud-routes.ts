import type { Static, TObject, TSchema } from 'typebox';
import { NoFields, type Rows } from '../../shared/fields.ts';
import { pascal } from '../../shared/phrases.ts';
import type { Tx } from '../db/database.ts';
import { type Call, jsonRoute, listRoute, noContentRoute, type Route } from './route.ts';

type Verb = 'create' | 'list' | 'show' | 'change' | 'remove';

interface Managed<C extends TObject, M extends TObject, A extends TSchema, B extends TSchema, F extends TObject> {
  /** The collection's path; one of them is at `path/:id`. */
  path: string;
  id: string;
  /** `unit`, `booking_source`: the code in operation ids and in the actions of the audit trail. */
  kind: string;
  /** "unit", "booking source": what one is called in the reference. */
  noun: string;
  plural: string;
  tag: string;
  /** The calls that owners alone may make. */
  ownersOnly?: 'all' | readonly Verb[];
  create: C;
  /** What creating answers, where that is more than what showing does. */
  created?: B;
  change: M;
  answer: A;
  /** What a list can be narrowed by. */
  filter?: F;
  example: { create: unknown; created?: unknown; change: unknown; answer: unknown };
  /** What deleting one is called, where it is called otherwise. */
  removal?: string;
  /** The descriptions in the reference, where the usual ones do not say enough. */
  notes?: { create?: string; list?: string; change?: string; remove?: string };
}

interface Verbs<C, M, A, B, F> {
  create(tx: Tx, call: Call<C>): Promise<B>;
  list(tx: Tx, call: Call<F>): Promise<Rows<A>>;
  show(tx: Tx, call: Call, id: number): Promise<A>;
  change(tx: Tx, call: Call<M>, id: number): Promise<A>;
  remove(tx: Tx, call: Call, id: number): Promise<void>;
}

/** The five calls that the admin API has for everything staff manage: create, list, show, change, delete. */
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
  const { ownersOnly = [] } = spec;
  const by = (verb: Verb) =>
    ownersOnly === 'all' || ownersOnly.includes(verb) ? { ...shared, role: 'owner' as const } : shared;
  const idOf = (call: Call<unknown, string>) => call.ids[id] as number;
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
        answer: (spec.created ?? spec.answer) as B,
        status: 201,
        example: { input: example.create, answer: example.created ?? example.answer },
      },
      (tx, call) => named(call, verbs.create(tx, call)),
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
        answer: spec.answer,
        example: { answer: example.answer },
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
        answer: spec.answer,
        example: { answer: example.answer },
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
        answer: spec.answer,
        example: { input: example.change, answer: example.answer },
      },
      (tx, call) => named(call, verbs.change(tx, call, idOf(call))),
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
        // Afterwards nobody could say any more what it was called.
        await named(call, verbs.show(tx, call, idOf(call)));
        await verbs.remove(tx, call, idOf(call));
      },
    ),
  ];
}

/** Staff know what they manage by a name; users by their e-mail, and by what they may do. */
async function named<T>(call: Call<unknown, string>, shown: Promise<T>): Promise<T> {
  const thing = await shown;
  const { name, email, role } = thing as { name?: string; email?: string; role?: string };
  call.about(name ?? (role === undefined ? email : `${email} (${role})`) ?? '');
  return thing;
}
