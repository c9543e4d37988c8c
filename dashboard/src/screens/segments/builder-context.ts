import { createContext, type RefObject, useContext } from 'react';
import type { DraftPart } from './draft.ts';
import type { Choice } from './names.ts';
import type { NamedKind } from './sentence.ts';

interface BuilderContext {
  change: (id: number, change: (part: DraftPart) => DraftPart | undefined) => void;
  /** Adds a part at the end of a group, and focuses it. */
  add: (groupId: number, part: DraftPart) => void;
  /** Removes a part of this group. */
  remove: (id: number, groupId: number) => void;
  choices: Record<NamedKind, Choice[] | undefined>;
  /** The messages by the ids of the parts. */
  problems: ReadonlyMap<number, string>;
  /** The condition that gets the focus when it appears. */
  toFocus: RefObject<number | undefined>;
}

export const Builder = createContext<BuilderContext | null>(null);

export function useBuilder(): BuilderContext {
  const builder = useContext(Builder);
  if (!builder) throw new Error('There is no builder around this component.');
  return builder;
}

/** The id of the button that adds a condition to a group. */
export const addButtonId = (groupId: number) => `add-condition-${groupId}`;
