import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Question {
  method?: 'GET' | 'POST';
  token: string;
  body?: string;
  headers?: Record<string, string>;
  /** The client disconnects after this many milliseconds, with or without a response. */
  patienceMs: number;
}
export interface Answer {
  status: number;
  body: string;
  headers: IncomingHttpHeaders;
}

/** Undefined: no answer came, or none that is whole. */
export function ask(agent: Agent, url: string, question: Question): Promise<Answer | undefined> {
  const { method = 'POST', token, body, headers, patienceMs } = question;
  return new Promise((done) => {
    const asked = request(url, {
      ...{ method, agent },
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    });
    const leaving = setTimeout(() => asked.destroy(), patienceMs);
    const finish = (answer?: Answer) => {
      clearTimeout(leaving);
      done(answer);
    };
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const { statusCode: status = 0, complete } = response;
        finish(complete ? { status, body: text, headers: response.headers } : undefined);
      });
      response.on('error', () => finish());
    });
    asked.on('error', () => finish());
    asked.end(body);
  });
}
