import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { type Dispatcher, errors } from 'undici';

/** A handler that learns on which connection its request was sent. */
export interface ConnectionHandler extends Dispatcher.DispatchHandler {
  /** `isUsed`: the connection had served another request. */
  onConnection(connection: Socket, isUsed: boolean): void;
}

/** The handlers, by undici's own object for the request. */
const handlers = new WeakMap<object, ConnectionHandler>();
/** The connections that have served a request. */
const used = new WeakSet<Socket>();
let dispatching: ConnectionHandler | undefined;

// undici says this only in its messages for diagnostics. Those of Node's own fetch() come here too.
subscribe('undici:request:create', (message) => {
  if (dispatching) handlers.set((message as { request: object }).request, dispatching);
});
subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { request: object; socket: Socket };
  const handler = handlers.get(request);
  if (!handler) return;
  handler.onConnection(socket, used.has(socket));
  used.add(socket);
});

export function dispatch(to: Dispatcher, options: Dispatcher.DispatchOptions, handler: ConnectionHandler): void {
  dispatching = handler;
  try {
    to.dispatch(options, handler);
  } finally {
    dispatching = undefined;
  }
}

/** Responses that undici refuses with the error of a lost connection. Only the messages differ. */
const refused: Record<string, string> = {
  'bad upgrade': 'The receiver switched to another protocol.',
  'bad response': 'The receiver asked for the body, which it had.',
};

/** Why undici refused a response. Undefined: the error has another cause. */
export function refusalOf(error: Error): string | undefined {
  if (error instanceof errors.HTTPParserError) return `The response is not valid HTTP. ${error.message}`;
  if (error instanceof errors.HeadersOverflowError) return 'The response has too large headers.';
  return error instanceof errors.SocketError ? refused[error.message] : undefined;
}
