import type { Operation } from './document.ts';
import type { Visitor } from './fixture.ts';
import { Literal } from './hostile/values.ts';
import type { Outgoing } from './sending.ts';

/** A request under construction. */
export interface Draft {
  operation: Operation;
  method: string;
  path: string[];
  /** The fields, which are sent in the body or in the query. */
  input: unknown;
  inBody: boolean;
  headers: Map<string, string>;
  /** The request is so large that the service may close the connection. */
  isTooMuch: boolean;
  /** Names of the changes that make it invalid. */
  changes: string[];
  /** The user whose session the request uses, if any. */
  visitor: Visitor | undefined;
  /** Changes the encoded body. */
  corrupt?: (text: Buffer) => Buffer;
  target?: string;
  breakage?: string;
}

export interface Made extends Draft {
  outgoing: Outgoing;
}

export type Container = Record<string, unknown>;

export const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !(value instanceof Literal);

export const isObject = (value: unknown): value is Container => isContainer(value) && !Array.isArray(value);
