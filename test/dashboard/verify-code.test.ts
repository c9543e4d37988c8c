import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformWithOxc } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifyCode } from '../../dashboard/src/screens/developers/webhooks/verify-code.ts';
import { newSecret, signedHeaders } from '../../src/shared/webhook-signature.ts';

const code = (language: string) => verifyCode.find((one) => one.language === language)?.code ?? '';
const isInstalled = (command: string) => spawnSync(command, ['--version']).status === 0;

const [secret, other] = [newSecret(), newSecret()];
const text = 'Zoë "ß" \\ \n';
const body = JSON.stringify({ id: 'evt_1', type: 'note.added', data: { text } });
const signed = (secrets: string[], seconds = 0) =>
  signedHeaders('evt_1', body, secrets, new Date(Date.now() + seconds * 1000));

interface Case {
  name: string;
  isGood: boolean;
  body: string;
  headers: Record<string, string>;
}
const cases: Case[] = [
  { name: 'a signature', isGood: true, body, headers: signed([secret]) },
  { name: 'the first of two signatures', isGood: true, body, headers: signed([secret, other]) },
  { name: 'the second of two signatures', isGood: true, body, headers: signed([other, secret]) },
  { name: 'a time of 4 minutes ago', isGood: true, body, headers: signed([secret], -240) },
  { name: 'a time of 6 minutes ago', isGood: false, body, headers: signed([secret], -360) },
  { name: 'a time in 6 minutes', isGood: false, body, headers: signed([secret], 360) },
  { name: 'another secret', isGood: false, body, headers: signed([other]) },
  { name: 'another body', isGood: false, body: `${body} `, headers: signed([secret]) },
  { name: 'another id', isGood: false, body, headers: { ...signed([secret]), 'webhook-id': 'evt_2' } },
  { name: 'no number as time', isGood: false, body, headers: { ...signed([secret]), 'webhook-timestamp': 'now' } },
  { name: 'an empty signature', isGood: false, body, headers: { ...signed([secret]), 'webhook-signature': 'v1,' } },
  { name: 'no headers', isGood: false, body, headers: {} },
];

// Inside the project, so that the code finds the package.
const folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.verify-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('the code that checks a signature in TypeScript', () => {
  let receive: (request: Request) => Promise<Response>;
  beforeAll(async () => {
    vi.stubEnv('WEBHOOK_SECRET', secret);
    const { code: compiled } = await transformWithOxc(code('TypeScript'), 'receiver.ts');
    const module = await import(/* @vite-ignore */ pathToFileURL(file('receiver.mjs', compiled)).href);
    receive = module.POST;
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => vi.unstubAllEnvs());

  for (const { name, isGood, body, headers } of cases)
    it(`${isGood ? 'accepts' : 'rejects'} ${name}`, async () => {
      const log = vi.spyOn(console, 'log').mockReturnValue();
      const { status } = await receive(new Request('http://localhost/', { method: 'POST', body, headers }));
      expect(status).toBe(isGood ? 204 : 401);
      expect(log.mock.calls).toEqual(isGood ? [[JSON.parse(body)]] : []);
    });
});

describe.runIf(isInstalled('python3'))('the code that checks a signature in Python', () => {
  const run = `import json, sys
from receiver import verified_event
sent = json.load(sys.stdin)
try:
    print(json.dumps(verified_event(sent["body"].encode(), sent["headers"])))
except ValueError:
    print("null")`;
  for (const one of cases)
    it(`${one.isGood ? 'accepts' : 'rejects'} ${one.name}`, () => {
      file('receiver.py', code('Python'));
      const env = { ...process.env, WEBHOOK_SECRET: secret, PYTHONDONTWRITEBYTECODE: '1' };
      const printed = execFileSync('python3', ['-c', run], { cwd: folder, env, input: JSON.stringify(one) });
      expect(JSON.parse(String(printed))).toEqual(one.isGood ? JSON.parse(one.body) : null);
    });
});

describe.runIf(isInstalled('php'))('the code that checks a signature in PHP', () => {
  for (const one of cases)
    it(`${one.isGood ? 'accepts' : 'rejects'} ${one.name}`, () => {
      // On the command line there is no request, so the last part is left out.
      const [checks = ''] = code('PHP').split('\ntry {');
      const path = file(
        'receiver.php',
        `${checks}
$sent = json_decode(stream_get_contents(STDIN), true);
$headers = $sent['headers'];
try {
    echo json_encode(verified_event($sent['body'], $headers['webhook-id'] ?? '', $headers['webhook-timestamp'] ?? '', $headers['webhook-signature'] ?? ''));
} catch (Exception $error) {
    echo 'null';
}`,
      );
      const env = { ...process.env, WEBHOOK_SECRET: secret };
      const printed = execFileSync('php', [path], { env, input: JSON.stringify(one) });
      expect(JSON.parse(String(printed))).toEqual(one.isGood ? JSON.parse(one.body) : null);
    });
});
