export interface Answer {
  status: number;
  body: Buffer;
}

const endOfHead = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** The received response. Undefined: incomplete. */
export function answerIn(received: Buffer): Answer | undefined {
  const end = received.indexOf(endOfHead);
  if (end < 0) return undefined;
  const head = received.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const rest = received.subarray(end + 4);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    if (rest.length < Number(length)) return undefined;
    if (rest.length > Number(length))
      throw new Error(`A response declares ${length} bytes, but ${rest.length} arrived.`);
    return { status, body: rest };
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    // Include the last line end of the head, so that an empty body is found too.
    if (
      !received
        .subarray(end + 2)
        .subarray(-lastChunk.length)
        .equals(lastChunk)
    )
      return undefined;
    return { status, body: unchunked(rest) };
  }
  if (status === 204) return { status, body: rest };
  throw new Error(`An answer does not say how long it is:\n${head}`);
}

function unchunked(rest: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.toString('latin1', at, line), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(rest.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
