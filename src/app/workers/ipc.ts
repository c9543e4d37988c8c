import { asError } from '../../shared/errors.ts';
import { SetupProblem, TooMany, Unavailable } from '../../shared/problem.ts';

/** One end of the IPC channel between the main process and a worker. */
interface Channel {
  send?(message: object, sent: (error: Error | null) => void): unknown;
  on(event: 'message', handle: (message: unknown) => void): unknown;
  on(event: 'disconnect', handle: () => void): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the functions have any parameters.
type Functions<T> = { [Name in keyof T]: (...args: any[]) => unknown };
export type Ask<T extends Functions<T>> = <Name extends keyof T & string>(
  name: Name,
  ...args: Parameters<T[Name]>
) => Promise<Awaited<ReturnType<T[Name]>>>;

type Message =
  | { request: number; name: string; args: unknown[] }
  | { response: number; value?: unknown }
  | { response: number; error: SentError };

/** The other process ended before it responded. */
export class Gone extends Unavailable {}

/** Lets the other process call the functions in `ours`. Returns a function that calls those of the other process. */
export function connectIpc<Theirs extends Functions<Theirs>, Ours extends Functions<Ours>>(
  channel: Channel,
  ours: Ours,
): Ask<Theirs> {
  const waiting = new Map<number, { done(value: unknown): void; failed(error: Error): void }>();
  let lastId = 0;
  // A failed response is ignored: a process that has ended does not wait for it.
  const send = (message: Message, lost = () => {}) => channel.send?.(message, (error) => error && lost());
  const gone = () => new Gone('The other process has ended.');

  channel.on('message', async (received) => {
    const message = received as Message;
    if ('request' in message) {
      const { request: response, name, args } = message;
      try {
        send({ response, value: await ours[name as keyof Ours](...args) });
      } catch (error) {
        send({ response, error: serialise(asError(error)) });
      }
    } else if ('response' in message) {
      const caller = waiting.get(message.response);
      waiting.delete(message.response);
      if ('error' in message) caller?.failed(deserialise(message.error));
      else caller?.done(message.value);
    }
  });
  channel.on('disconnect', () => {
    for (const { failed } of waiting.values()) failed(gone());
    waiting.clear();
  });

  return (name, ...args) =>
    new Promise((done, failed) => {
      const request = ++lastId;
      waiting.set(request, { done: done as (value: unknown) => void, failed });
      send({ request, name, args }, () => {
        waiting.delete(request);
        failed(gone());
      });
    });
}

/** An error as it is sent to another process. */
interface SentError {
  name: string;
  message: string;
  stack: string | undefined;
  retryAfter: number;
  limit?: number | undefined;
}

function serialise(error: Error): SentError {
  const { name, message, stack } = error;
  const { retryAfter, limit } = error instanceof TooMany ? error : { retryAfter: 0 };
  return { name, message, stack, retryAfter, limit };
}

function deserialise({ name, message, stack, retryAfter, limit }: SentError): Error {
  if (name === 'TooMany') return new TooMany(message, retryAfter, limit);
  if (name === 'SetupProblem') return new SetupProblem(message);
  return Object.assign(new Error(message), { stack });
}
