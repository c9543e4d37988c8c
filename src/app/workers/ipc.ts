import { SetupProblem, TooMany, Unavailable } from '../../shared/problem.ts';

/** One end of the channel between the main process and a worker. */
interface End {
  send?(message: object, sent: (error: Error | null) => void): unknown;
  on(event: 'message', hear: (message: unknown) => void): unknown;
  on(event: 'disconnect', act: () => void): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the functions of either side take.
type Calls<T> = { [Name in keyof T]: (...args: any[]) => unknown };
export type Ask<T extends Calls<T>> = <Name extends keyof T & string>(
  name: Name,
  ...args: Parameters<T[Name]>
) => Promise<Awaited<ReturnType<T[Name]>>>;

type Message =
  | { ask: number; name: string; args: unknown[] }
  | { answer: number; value?: unknown }
  | { answer: number; error: Told };

/** What was asked of a process that is no more. */
export class Gone extends Unavailable {}

/** Answers what the other process asks by `ours`, and gives what asks it in return. */
export function connectIpc<Theirs extends Calls<Theirs>, Ours extends Calls<Ours>>(end: End, ours: Ours): Ask<Theirs> {
  const waiting = new Map<number, { done(value: unknown): void; failed(error: Error): void }>();
  let asked = 0;
  // Whoever no longer hears an answer does not wait for it.
  const send = (message: Message, lost = () => {}) => end.send?.(message, (error) => error && lost());
  const gone = () => new Gone('The other process has gone.');

  end.on('message', async (message) => {
    const heard = message as Message;
    if ('ask' in heard) {
      const { ask: answer, name, args } = heard;
      try {
        send({ answer, value: await ours[name as keyof Ours](...args) });
      } catch (error) {
        send({ answer, error: told(error as Error) });
      }
    } else if ('answer' in heard) {
      const asker = waiting.get(heard.answer);
      waiting.delete(heard.answer);
      if ('error' in heard) asker?.failed(understood(heard.error));
      else asker?.done(heard.value);
    }
  });
  end.on('disconnect', () => {
    for (const { failed } of waiting.values()) failed(gone());
    waiting.clear();
  });

  return (name, ...args) =>
    new Promise((done, failed) => {
      const ask = ++asked;
      waiting.set(ask, { done: done as (value: unknown) => void, failed });
      send({ ask, name, args }, () => {
        waiting.delete(ask);
        failed(gone());
      });
    });
}

/** An error on its way from one process to another. */
interface Told {
  name: string;
  message: string;
  stack: string | undefined;
  retryAfter: number;
  limit?: number | undefined;
}

function told(error: Error): Told {
  const { name, message, stack } = error;
  const { retryAfter = 0, limit } = error as Partial<TooMany>;
  return { name, message, stack, retryAfter, limit };
}

function understood({ name, message, stack, retryAfter, limit }: Told): Error {
  if (name === 'TooMany') return new TooMany(message, retryAfter, limit);
  if (name === 'SetupProblem') return new SetupProblem(message);
  return Object.assign(new Error(message), { stack });
}
