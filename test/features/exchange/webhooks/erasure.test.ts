import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { receiver, until } from '../../../support/receiver.ts';
import { startSender, webhookAccount } from '../../../support/webhooks.ts';
import { hurry } from './hurry.ts';

const app = await testApp({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
const sql = await superuser(app.database);
startSender(app.db);

const responses = ({ attempts }: { attempts: { response: string }[] }) => attempts.map(({ response }) => response);

/** A webhook for new contacts, whose receiver fails and answers with what it got. */
async function setUp() {
  const at = await webhookAccount(app);
  const to = await receiver();
  const webhook = await at.create(to.url, { types: ['contact.created'] });
  const erase = async (id: number) => expect((await app.admin('DELETE', `${at.base}/contacts/${id}`)).status).toBe(204);
  /** The delivery of the first contact, with this number of attempts. */
  const delivery = async (attempts: number) => {
    await until(async () => (await at.deliveries(webhook)).at(-1)?.attempts.length === attempts);
    return (await at.deliveries(webhook)).at(-1);
  };
  return { at, to, erase, delivery };
}

describe('what a receiver answered to the event of an erased contact', () => {
  it('is removed, and stays removed after further attempts', async () => {
    const { at, to, erase, delivery } = await setUp();
    to.state.answer = (response, { body }) => void response.writeHead(500).end(body);
    const ana = await at.write({ first_name: 'Anastasia' });
    expect(responses(await delivery(1))).toEqual([expect.stringContaining('Anastasia')]);
    await erase(ana);
    expect(responses(await delivery(1))).toEqual(['']);
    to.state.answer = (response) => void response.writeHead(500).end('once more');
    await hurry(sql, at.id);
    expect(responses(await delivery(2))).toEqual(['', '']);
    expect(JSON.parse(to.all.at(-1)?.body ?? '').data).toEqual({ contact_id: ana, removed: true });
  });

  it('is not stored if the contact was erased before the answer', async () => {
    const { at, to, erase, delivery } = await setUp();
    const answer: (() => void)[] = [];
    to.state.answer = (response, { body }) => void answer.push(() => response.writeHead(500).end(body));
    const ana = await at.write({ first_name: 'Anastasia' });
    await to.count(1);
    await erase(ana);
    for (const send of answer) send();
    const stored = await delivery(1);
    expect(stored).toMatchObject({ state: 'pending', attempts: [{ status_code: 500, response: '' }] });
  });

  it('is kept for other contacts', async () => {
    const { at, to, erase, delivery } = await setUp();
    to.state.answer = (response, { body }) => void response.writeHead(500).end(body);
    await at.write({ first_name: 'Rui' });
    const ana = await at.write({ first_name: 'Anastasia' });
    await to.count(2);
    await erase(ana);
    expect(responses(await delivery(1))).toEqual([expect.stringContaining('Rui')]);
  });
});
