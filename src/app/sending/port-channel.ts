/** A `Worker`, or the port of its parent. */
interface Port {
  postMessage(message: object): void;
  on(event: string, handle: (message: unknown) => void): unknown;
}

/** Lets threads talk as processes do. `end`: the event after which no message comes. */
export function portChannel(port: Port, end: 'exit' | 'close') {
  return {
    send(message: object, sent: (error: Error | null) => void) {
      port.postMessage(message);
      sent(null);
    },
    on(event: 'message' | 'disconnect', handle: (message: unknown) => void) {
      port.on(event === 'message' ? 'message' : end, handle);
    },
  };
}
