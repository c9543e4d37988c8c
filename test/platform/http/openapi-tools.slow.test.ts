import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';

const { app, call, admin, account } = await testApp();
const run = promisify(execFile);
const timeout = 180_000;

/** A project of its own, with our packages. */
const folder = mkdtempSync(join(tmpdir(), 'regulars-openapi-'));
afterAll(() => rmSync(folder, { recursive: true }));
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
const documents = { whole: '/openapi.json', partners: '/v1/openapi.json' };
for (const [name, url] of Object.entries(documents))
  writeFileSync(join(folder, `${name}.json`), JSON.stringify((await call('GET', url)).body));

const tool = (name: string, ...args: string[]) =>
  run(process.execPath, [resolve('node_modules/.bin', name), ...args], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${name} failed.\n${stdout}\n${stderr}`);
  });

describe.each(Object.keys(documents))('the document %s', (name) => {
  it(
    'has no error and no warning by the strictest rules of Redocly',
    async () => {
      const { stdout } = await tool(
        'redocly',
        'lint',
        '--extends',
        'recommended-strict',
        '--format',
        'json',
        `${name}.json`,
      );
      expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
    },
    timeout,
  );
});

/** What a partner writes with the generated client. It compiles only if the types are as they should be. */
const partner = `
import { addPurchases, defaults, listUnits, redeemCode, writeContact, type Contact, type ContactWrite } from './partners.ts';
import type { AccountCreate, Unit } from './whole.ts';

export async function visit(baseUrl: string, token: string, accountId: number, code: string) {
  defaults.baseUrl = baseUrl;
  defaults.headers = { Authorization: \`Bearer \${token}\` };
  const units = await listUnits({ groups: true });
  if (units.status !== 200) throw new Error(units.data.toString());
  const [root] = units.data.data;
  const total: number = units.data.total;
  const folders = root && 'folders' in root ? root.folders.map(({ groups }) => groups.length) : undefined;
  const guest: ContactWrite = { email: 'ana.silva@gmail.com', allow_email: true, rules: [{ rule_name: 'preserve_consent' }] };
  const written = await writeContact(guest, { idempotencyKey: 'one' });
  const contact = written.status === 200 && 'email' in written.data ? (written.data satisfies Contact) : undefined;
  const wrong = await writeContact({ email: 'none' });
  const fields = wrong.status === 422 ? wrong.data.errors : {};
  const redeemed = await redeemCode({ account_id: accountId, unit_id: root?.id ?? 0, unique_code: code });
  const status = redeemed.status === 200 ? redeemed.data.unique_code_status : redeemed.status;
  const stored = await addPurchases({
    account_id: accountId,
    table_number: '12',
    purchases: [{ transaction_reference: 'T-1', items: [{ quantity: 1, value: 5 }] }],
  });
  const waits = stored.status === 200 && stored.data.purchases[0]?.contact_id === null;
  return { total, folders, email: contact?.email, fields, status, waits };
}

export const account: AccountCreate = { name: 'The Harbour Group' };
export const name = (unit: Unit): string => unit.name;
// @ts-expect-error A unit has no such field.
export const nothing = (unit: Unit) => unit.nothing;
// @ts-expect-error A rule has one of the names that there are.
export const rule: ContactWrite = { rules: [{ rule_name: 'whatever' }] };
`;

describe('a TypeScript client', () => {
  it(
    'is generated from both documents, compiles, and calls the service',
    async () => {
      for (const name of Object.keys(documents)) await tool('oazapfts', `${name}.json`, `${name}.ts`);
      writeFileSync(join(folder, 'partner.ts'), partner);
      mkdirSync(join(folder, 'built'));
      await tool(
        'tsc',
        ...['--strict', '--noUncheckedIndexedAccess', '--target', 'es2023'],
        ...['--lib', 'es2023,dom', '--module', 'nodenext', '--rewriteRelativeImportExtensions', '--types', ''],
        ...['--outDir', 'built', 'partner.ts', 'whole.ts'],
      );
      const { id, root_unit_id, token } = await account();
      const { body: group } = await admin('POST', `/accounts/${id}/unique_code_groups`, {
        unit_id: root_unit_id,
        name: 'Summer',
      });
      await admin('POST', `/accounts/${id}/unique_code_groups/${group.id}/codes`, { codes: ['SUMMER-7KQ'] });
      const url = await app.listen({ port: 0, host: '127.0.0.1' });
      const { visit } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'built', 'partner.js')).href);
      const first = {
        total: 1,
        folders: [],
        email: 'ana.silva@gmail.com',
        fields: { email: ['The email must be a valid email address.'] },
        waits: true,
      };
      expect(await visit(url, token, id, 'SUMMER-7KQ')).toEqual({ ...first, status: 'Redeemed' });
      expect(await visit(url, token, id, 'SUMMER-7KQ')).toEqual({ ...first, status: 422 });
    },
    timeout,
  );
});
