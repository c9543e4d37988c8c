/** A request to the partner API. */
export interface PartnerRequest {
  method: 'GET' | 'POST';
  /** With its query: "/v1/account/units?groups=true". */
  path: string;
  body?: Record<string, unknown>;
}

/** The base URL of the API. It is the origin of this page. */
export const baseUrl = window.location.origin;

/** Quotes a text for a shell. */
const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The shell variable with the token, so that the examples contain no secret. */
export const tokenVariable = '$REGULARS_TOKEN';

/** The request as a curl command. Without a token it uses the shell variable. */
export function curl({ method, path, body }: PartnerRequest, token?: string): string {
  const credential =
    token === undefined ? `"Authorization: Bearer ${tokenVariable}"` : shellQuote(`Authorization: Bearer ${token}`);
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${shellQuote(`${baseUrl}${path}`)}`,
    `-H ${credential}`,
  ];
  if (body)
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d ${shellQuote(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
    );
  return lines.join(' \\\n  ');
}
