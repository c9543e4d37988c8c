import type { Static, TObject, TSchema } from 'typebox';
import type { Tx } from '../db/database.ts';
import { NoFields, type Rows } from '../shared/fields.ts';
import { answers, type Call, lists, type Operation, silent } from './operation.ts';

interface Managed<C extends TObject, M extends TObject, A extends TSchema, B extends TSchema, F extends TObject> {
  /** The collection's path; one of them is at `path/:id`. */
  path: string;
  id: string;
  /** "unit", "booking source": what one is called in the reference. */
  noun: string;
  plural: string;
  tag: string;
  create: C;
  /** What creating answers, where that is more than what showing does. */
  created?: B;
  change: M;
  answer: A;
  /** What a list can be narrowed by. */
  filter?: F;
  example: { create: unknown; created?: unknown; change: unknown; answer: unknown };
  notes?: { create?: string; change?: string; remove?: string };
}

interface Verbs<C, M, A, B, F> {
  create(tx: Tx, call: Call<C>): Promise<B>;
  list(tx: Tx, call: Call<F>): Promise<Rows<A>>;
  show(tx: Tx, call: Call, id: number): Promise<A>;
  change(tx: Tx, call: Call<M>, id: number): Promise<A>;
  remove(tx: Tx, call: Call, id: number): Promise<void>;
}

/** The five calls that the admin API has for everything staff manage: create, list, show, change, delete. */
export function managed<
  C extends TObject,
  M extends TObject,
  A extends TSchema,
  B extends TSchema = A,
  F extends TObject = typeof NoFields,
>(spec: Managed<C, M, A, B, F>, verbs: Verbs<Static<C>, Static<M>, Static<A>, Static<B>, Static<F>>): Operation[] {
  const { path, id, noun, plural, tag, example, notes = {} } = spec;
  const one = `${path}/:${id}`;
  const article = /^[aeio]/.test(noun) ? 'an' : 'a';
  const shared = { access: 'admin', tag } as const;
  const described = (text: string | undefined) => (text === undefined ? {} : { description: text });
  const idOf = (call: Call<unknown, string>) => call.ids[id] as number;
  return [
    answers(
      {
        ...shared,
        method: 'POST',
        path,
        summary: `Create ${article} ${noun}`,
        ...described(notes.create),
        input: spec.create,
        answer: (spec.created ?? spec.answer) as B,
        status: 201,
        example: { input: example.create, answer: example.created ?? example.answer },
      },
      (tx, call) => verbs.create(tx, call),
    ),
    lists(
      {
        ...shared,
        method: 'GET',
        path,
        summary: `List ${plural}`,
        input: (spec.filter ?? NoFields) as F,
        answer: spec.answer,
        example: { answer: example.answer },
      },
      (tx, call) => verbs.list(tx, call),
    ),
    answers(
      {
        ...shared,
        method: 'GET',
        path: one,
        summary: `Show ${article} ${noun}`,
        input: NoFields,
        answer: spec.answer,
        example: { answer: example.answer },
      },
      (tx, call) => verbs.show(tx, call, idOf(call)),
    ),
    answers(
      {
        ...shared,
        method: 'PATCH',
        path: one,
        summary: `Change ${article} ${noun}`,
        ...described(notes.change),
        input: spec.change,
        answer: spec.answer,
        example: { input: example.change, answer: example.answer },
      },
      (tx, call) => verbs.change(tx, call, idOf(call)),
    ),
    silent(
      {
        ...shared,
        method: 'DELETE',
        path: one,
        summary: `Delete ${article} ${noun}`,
        ...described(notes.remove),
        input: NoFields,
      },
      (tx, call) => verbs.remove(tx, call, idOf(call)),
    ),
  ];
}
