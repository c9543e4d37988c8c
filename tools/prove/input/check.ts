import { type Operation, operationAt } from './document.ts';
import type { Made } from './draft.ts';
import type { Answer } from './sending.ts';

/** Texts of internal errors. They must not appear in a response, and requests do not contain them. */
const inside =
  /relation "|violates|duplicate key|invalid input syntax|out of range for type|invalid byte sequence|syntax error|deadlock|\bat \S+ \(|\.[jt]s:\d|node_modules|node:internal|Cannot read prop|is not a function|RangeError|TypeError|FST_ERR|ECONN/;

/** The extra statuses for invalid HTTP and unknown paths. */
const outside = new Set([400, 404, 408, 413, 415, 417, 431]);

/** The problems of a response. `answers` is undefined if the connection never ended. */
export function checkResponses(
  made: Made,
  operations: Operation[],
  answers: Answer[] | undefined,
  changes: string[],
): string[] {
  const { outgoing } = made;
  if (!answers) return ['It was never answered.'];
  const wrong: string[] = [];
  if (answers.length === 0 && !outgoing.wire && !made.isTooMuch)
    wrong.push('The connection was closed without an answer.');
  for (const answer of answers) wrong.push(...checkResponse(made, operations, answer));
  if (isRejected(answers) && changes.length > 0)
    wrong.push(`It was refused, and changed something: ${changes.join(', ')}.`);
  return wrong;
}

export const isRejected = (answers: Answer[]): boolean => answers.every(({ status }) => status >= 400);

function checkResponse({ outgoing, breakage }: Made, operations: Operation[], answer: Answer): string[] {
  const { status, headers, body } = answer;
  if (status >= 500) return [`It was answered ${status}.`];
  const wrong: string[] = [];
  if (headers['x-injected'] !== undefined) wrong.push('A header of ours was the sender’s.');
  const type = String(headers['content-type'] ?? '');
  const operation = operationAt(operations, outgoing.method, outgoing.target);
  const isJson = type.startsWith('application/json');
  const parsed = isJson ? parse(body) : undefined;
  if (status >= 400) {
    if (inside.test(body)) wrong.push('The answer shows what is inside.');
    if (outgoing.method === 'HEAD' || (outgoing.wire && body === '' && /^HEAD/.test(String(outgoing.wire[0]))))
      return wrong;
    if (!isJson) return [...wrong, `A ${status} came without a message.`];
    wrong.push(...checkError(status, parsed));
  }
  // With several HTTP errors, any of their statuses is correct.
  if (breakage && status >= 400) return wrong;
  const check = operation?.answers.get(status);
  if (!operation || (!operation.answers.has(status) && outgoing.wire)) {
    if (status === 405) wrong.push(...checkAllow(outgoing.wire ? undefined : outgoing.method, headers.allow));
    else if (status >= 400 && !outside.has(status)) wrong.push(`A ${status} is not for an address that leads nowhere.`);
    if (status < 400 && !/^(GET|HEAD)$/.test(outgoing.method)) wrong.push(`A ${status} came from nowhere.`);
    return wrong;
  }
  if (!operation.answers.has(status)) return [...wrong, `The document knows no ${status} here.`];
  if (breakage || outgoing.method === 'HEAD' || type.startsWith('text/csv')) return wrong;
  if (!check) return body === '' ? wrong : [...wrong, `A ${status} came with a body.`];
  const received = type.startsWith('application/x-ndjson')
    ? parse(body.trimEnd().split('\n').at(-1) ?? '')
    : isJson
      ? parsed
      : body;
  const differs = check(received);
  if (differs !== undefined) wrong.push(`The ${status} is not as the document says: ${differs.slice(0, 300)}.`);
  return wrong;
}

/** A 405 names the allowed methods. */
function checkAllow(method: string | undefined, allow: unknown): string[] {
  const methods = String(allow ?? '').split(', ');
  return methods[0] && !(method && methods.includes(method)) ? [] : [`A 405 came with \`Allow: ${allow}\`.`];
}

/** A 422 has at least one field, with a message each. Other errors have a message. */
function checkError(status: number, body: unknown): string[] {
  const { message, errors } = (body ?? {}) as { message?: unknown; errors?: unknown };
  const isSentence = (text: unknown) => typeof text === 'string' && text.trim() !== '';
  if (status === 422) {
    const fields = Object.entries((errors ?? {}) as object);
    const isWhole = fields.every(
      ([name, sentences]) =>
        name !== '' && Array.isArray(sentences) && sentences.length > 0 && sentences.every(isSentence),
    );
    return isSentence(message) && fields.length > 0 && isWhole ? [] : ['A 422 came without a field or a message.'];
  }
  const [first] = Array.isArray(errors) ? errors : [];
  return isSentence((first as { message?: unknown })?.message) ? [] : [`A ${status} came without a message.`];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
