import { useSyncExternalStore } from 'react';
import type { NewCodes } from '#service/features/vouchers/schema.ts';
import { api } from '../../api/client.ts';
import { withCount } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';

/** A running or finished generation of codes. */
export interface Generation {
  state: 'running' | 'done' | 'stopped' | 'failed';
  done: number;
  of: number;
  /** The error of a failed generation. */
  problem?: string;
}

/*
 * Generations are stored outside of the pages, because a million codes take a while and the user can leave the page.
 * The service creates all codes or none, and stops when this tab closes, so closing asks for confirmation.
 */
const generations = new Map<string, Generation & { stopper: AbortController }>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(path: string, change: Partial<Generation>): void {
  const before = generations.get(path);
  if (before) generations.set(path, { ...before, ...change });
  changed();
}

function changed(): void {
  const running = [...generations.values()].some(({ state }) => state === 'running');
  if (running) window.addEventListener('beforeunload', confirmClose);
  else window.removeEventListener('beforeunload', confirmClose);
  for (const listener of listeners) listener();
}

const confirmClose = (event: BeforeUnloadEvent) => event.preventDefault();

/** The generation of the group at that path. */
export function useGeneration(path: string): Generation | undefined {
  return useSyncExternalStore(subscribe, () => generations.get(path));
}

export function stopGeneration(path: string): void {
  generations.get(path)?.stopper.abort();
}

export function dismissGeneration(path: string): void {
  generations.delete(path);
  changed();
}

interface GenerationRequest {
  /** The path and name of the group. */
  path: string;
  name: string;
  codes: NewCodes & { count: number };
  onEnd: () => unknown;
}

/** Resolves when the generation has started or finished. Rejects if the service refuses it. */
export function startGeneration({ path, name, codes, onEnd }: GenerationRequest): Promise<void> {
  const controller = new AbortController();
  const isUnderWay = () => generations.get(path)?.stopper === controller;
  return new Promise((begun, refused) => {
    const begin = (done: number) => {
      if (isUnderWay()) return set(path, { done });
      generations.set(path, { state: 'running', done, of: codes.count, stopper: controller });
      changed();
      begun();
    };
    api
      .postWithProgress<{ created: number }>(`${path}/codes`, codes, begin, { signal: controller.signal })
      .then(({ created }) => {
        begin(created);
        set(path, { state: 'done', done: created });
        notify.success(`${withCount(created, 'code was', 'codes were')} generated in ${name}.`);
      })
      .catch((error: Error) => {
        if (!isUnderWay()) refused(error);
        else if (controller.signal.aborted) set(path, { state: 'stopped' });
        else set(path, { state: 'failed', problem: error.message });
      })
      .finally(onEnd);
  });
}
