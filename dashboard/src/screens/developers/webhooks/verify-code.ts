/** Code of a receiver that checks the signature. The secret is in the environment, so that the code has none. */
export const verifyCode: { language: string; file: string; note: string; code: string }[] = [
  {
    language: 'TypeScript',
    file: 'receiver.ts',
    note: 'Uses the npm package standardwebhooks. Requests that are more than 5 minutes old are rejected.',
    code: `// npm install standardwebhooks
import { Webhook } from 'standardwebhooks';

// The whole secret, with "whsec_".
const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '');

export async function POST(request: Request): Promise<Response> {
  // The body exactly as it arrived. A rewritten one does not fit.
  const body = await request.text();
  let event: unknown;
  try {
    event = webhook.verify(body, Object.fromEntries(request.headers));
  } catch {
    return new Response('Wrong signature', { status: 401 });
  }
  // Store the event, unless its id is known. Answer within 15 s.
  console.log(event);
  return new Response(null, { status: 204 });
}
`,
  },
  {
    language: 'PHP',
    file: 'receiver.php',
    note: 'Needs no package. Requests that are more than 5 minutes old are rejected.',
    code: `<?php

/** Returns the event. Throws an exception if the signature or the time is wrong. */
function verified_event(string $body, string $id, string $timestamp, string $signatures): array
{
    // At most 5 minutes off.
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        throw new RuntimeException('Wrong time');
    }
    // The secret without "whsec_" is base64.
    $key = base64_decode(substr((string) getenv('WEBHOOK_SECRET'), 6), true);
    if ($key === false || $key === '') {
        throw new RuntimeException('WEBHOOK_SECRET is not set');
    }
    $expected = base64_encode(hash_hmac('sha256', "{$id}.{$timestamp}.{$body}", $key, true));
    // Several signatures, while a secret is being replaced.
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals("v1,{$expected}", $signature)) {
            return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('Wrong signature');
}

try {
    $event = verified_event(
        // The body exactly as it arrived.
        (string) file_get_contents('php://input'),
        $_SERVER['HTTP_WEBHOOK_ID'] ?? '',
        $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
        $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '',
    );
} catch (Exception $error) {
    http_response_code(401);
    exit($error->getMessage());
}
// Store the event, unless its id is known. Answer within 15 s.
http_response_code(204);
`,
  },
  {
    language: 'Python',
    file: 'receiver.py',
    note: 'Needs no package. Requests that are more than 5 minutes old are rejected.',
    code: `import base64
import hashlib
import hmac
import json
import os
import time

# The secret without "whsec_" is base64.
KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def verified_event(body: bytes, headers) -> dict:
    """Returns the event. Raises ValueError if the signature or the time is wrong.

    body: the bytes exactly as they arrived.
    headers: of the request, with names in lower case (or in any case, as in Flask).
    """
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    # At most 5 minutes off.
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        raise ValueError("Wrong time")
    content = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, content, hashlib.sha256).digest())
    # Several signatures, while a secret is being replaced.
    for signature in headers.get("webhook-signature", "").split():
        if hmac.compare_digest(signature.encode(), expected):
            return json.loads(body)
    raise ValueError("Wrong signature")


# After a ValueError, answer 401. Otherwise store the event, unless its id is known,
# and answer 204 within 15 s.
`,
  },
];
