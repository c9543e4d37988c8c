/** A request to the API as a partner would make it. */
export interface PartnerRequest {
  method: 'GET' | 'POST';
  /** With its query: "/v1/account/units?groups=true". */
  path: string;
  body?: Record<string, unknown>;
}

/** Where partners find the API: where this page came from. */
export const baseUrl = window.location.origin;

/** A text that a shell takes as it stands. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** How the token is named in the examples, so that nobody has to paste a secret into each of them. */
export const tokenVariable = '$REGULARS_TOKEN';

/** The same request for a terminal. Without a token it takes the one that the shell knows. */
export function curl({ method, path, body }: PartnerRequest, token?: string): string {
  const credential =
    token === undefined ? `"Authorization: Bearer ${tokenVariable}"` : quoted(`Authorization: Bearer ${token}`);
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(`${baseUrl}${path}`)}`, `-H ${credential}`];
  if (body)
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d ${quoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
    );
  return lines.join(' \\\n  ');
}
