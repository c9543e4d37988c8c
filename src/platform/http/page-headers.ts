import { createHash } from 'node:crypto';

/** The page may load only files of this service, and run only the inline scripts that it has now. */
export function pageHeaders(html: string): Record<string, string> {
  const inline = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  const policy = {
    'default-src': `'self'`,
    'script-src': [`'self'`, ...inline].join(' '),
    // Mantine and Scalar set colours and sizes in style elements.
    'style-src': `'self' 'unsafe-inline'`,
    'img-src': `'self' data:`,
    'object-src': `'none'`,
    'base-uri': `'none'`,
    'form-action': `'self'`,
    'frame-ancestors': `'none'`,
  };
  return {
    'cache-control': 'no-cache',
    'content-security-policy': Object.entries(policy)
      .map(([name, sources]) => `${name} ${sources}`)
      .join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
  };
}
