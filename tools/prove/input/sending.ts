import { type Agent, request } from 'node:http';
import { connect } from 'node:net';

/** A request on the wire. */
export interface Outgoing {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body: Buffer;
  /** Raw bytes to send instead, for invalid HTTP. */
  wire?: (string | Buffer)[];
  /** The delay before the sender closes its side, if the connection is still open. */
  endAfterMs?: number;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** The timeout of a response. */
const timeoutMs = 90_000;
/** A complete request gets its response before this time. An incomplete one waits. */
const endAfterMs = 20_000;

/** Returns all responses, none if the connection was closed without one. Undefined: the connection never ended. */
export function send(agent: Agent, port: number, outgoing: Outgoing): Promise<Answer[] | undefined> {
  return outgoing.wire
    ? sendRaw(port, outgoing.wire, outgoing.endAfterMs ?? endAfterMs)
    : sendHttp(agent, port, outgoing);
}

function sendHttp(
  agent: Agent,
  port: number,
  { method, target, headers, body }: Outgoing,
): Promise<Answer[] | undefined> {
  return new Promise((done) => {
    const asked = request({
      ...{ host: '127.0.0.1', port, agent, method, path: target, setHost: false },
      headers: headers.flat(),
    });
    const timer = setTimeout(() => {
      done(undefined);
      asked.destroy();
    }, timeoutMs);
    const end = (answers: Answer[]) => {
      clearTimeout(timer);
      done(answers);
    };
    asked.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', () => end([]));
      response.on('end', () => {
        const whole = Buffer.concat(parts).toString();
        end([{ status: response.statusCode ?? 0, headers: response.headers, body: whole }]);
      });
    });
    asked.on('upgrade', (response, socket) => {
      socket.destroy();
      end([{ status: response.statusCode ?? 0, headers: response.headers, body: '' }]);
    });
    asked.on('error', () => end([]));
    asked.end(body);
  });
}

/** Sends the bytes and reads to the end. Closes its side after a while without a response. */
function sendRaw(port: number, wire: (string | Buffer)[], afterMs: number): Promise<Answer[] | undefined> {
  return new Promise((done) => {
    const parts: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const timer = setTimeout(() => {
      done(undefined);
      socket.destroy();
    }, timeoutMs);
    const enough = setTimeout(() => socket.end(), afterMs);
    socket.on('data', (part) => parts.push(part));
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      clearTimeout(enough);
      done(readAnswers(Buffer.concat(parts).toString('latin1')));
    });
    for (const part of wire) socket.write(part);
  });
}

/** Parses responses with a content length or in chunks. */
function readAnswers(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== ''; ) {
    const headEnd = rest.indexOf('\r\n\r\n');
    const [line = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1]);
    if (headEnd < 0 || !status) break;
    const headers = Object.fromEntries(
      lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
    );
    rest = rest.slice(headEnd + 4);
    if (status === 100) continue;
    let body = '';
    if (headers['transfer-encoding'] === 'chunked') {
      for (let size = 1; size > 0; ) {
        const lineEnd = rest.indexOf('\r\n');
        size = Number.parseInt(rest.slice(0, lineEnd), 16) || 0;
        body += rest.slice(lineEnd + 2, lineEnd + 2 + size);
        rest = rest.slice(lineEnd + 2 + size + 2);
      }
    } else {
      const length = Number(headers['content-length'] ?? 0);
      body = rest.slice(0, length);
      rest = rest.slice(length);
    }
    answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString() });
  }
  return answers;
}
