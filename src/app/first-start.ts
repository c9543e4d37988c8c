import { randomBytes } from 'node:crypto';
import { createAccount } from '../features/access/accounts/manage.ts';
import { claimEmptyDirectory } from '../features/access/accounts/store.ts';
import { createToken } from '../features/access/tokens/manage.ts';
import { createUser } from '../features/access/users/manage.ts';
import { createGroup } from '../features/venues/groups/manage.ts';
import { createUnit } from '../features/venues/units/manage.ts';
import type { Tx } from '../platform/db/database.ts';

export interface FirstStart {
  email: string;
  password: string;
  accountId: number;
  accountName: string;
  token: string;
}

/** Creates an owner and a sample account in an empty database, so that the first request is possible at once. */
export async function firstStart(tx: Tx): Promise<FirstStart | undefined> {
  if (!(await claimEmptyDirectory(tx))) return undefined;
  const accountName = 'Sample group';
  const account = await createAccount(tx, { name: accountName });
  for (const name of ['The Anchor', 'The Crown', 'Harbour Hotel']) {
    const unit = await createUnit(tx, account.id, name);
    await createGroup(tx, account.id, { unit_id: unit.id, name: 'Newsletter' });
  }
  const email = 'admin@regulars.local';
  const password = randomBytes(12).toString('base64url');
  const user = await createUser(tx, { email, password, account_ids: [account.id], role: 'owner' });
  const { token } = await createToken(tx, account.id, { name: 'First token', user_id: user.id }, 'first start');
  return { email, password, accountId: account.id, accountName, token };
}

export function welcome(address: string, first: FirstStart | undefined, hasOwner: boolean): string {
  const lines = ['', '  Regulars is ready.', '', `  Dashboard   ${address}/`, `  API docs    ${address}/docs`];
  if (first) {
    lines.push(
      '',
      '  This database was empty, so here is what you need to begin. It is shown this once: keep it.',
      '',
      `  Admin       ${first.email}`,
      `  Password    ${first.password}`,
      `  Account     ${first.accountId} (${first.accountName})`,
      `  Token       ${first.token}`,
      '',
      '  Your first request:',
      '',
      `  curl -H 'Authorization: Bearer ${first.token}' '${address}/v1/account/units?groups=true'`,
    );
  }
  if (!hasOwner)
    lines.push('', '  No user can sign in yet. Create an owner: npx regulars user create you@example.com --role owner');
  return `${lines.join('\n')}\n\n`;
}
