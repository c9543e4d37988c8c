import type { Page } from 'playwright-core';
import type { Dashboard } from './dashboard.ts';
import { partner } from './partner.ts';

export const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
/** The links in the list of guests. */
export const rows = (page: Page) => page.getByRole('table', { name: 'Guests' }).getByRole('link');

export type Account = Awaited<ReturnType<typeof anotherAccount>>;

/** Creates another account, with functions that write to it as a partner does. */
export async function anotherAccount({ admin, call }: Dashboard, name: string) {
  const { body: account } = await admin('POST', '/accounts', { name });
  const { body: made } = await admin('POST', `/accounts/${account.id}/tokens`, { name: 'Till' });
  const path = `/accounts/${account.id}`;
  return { ...account, ...partner({ call }, { id: account.id, token: made.token }), token: made.token, path };
}
