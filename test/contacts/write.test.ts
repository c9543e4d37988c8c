import { describe, expect, it } from 'vitest';
import { testApp } from '../support/app.ts';

const { account, call, admin } = await testApp();
const { id, token, root_unit_id } = await account();

const write = (body: object) => call('POST', '/v1/contact', { token, body });

describe('writing a contact', () => {
  it('answers the full object', async () => {
    const { body: unit } = await admin('POST', `/accounts/${id}/units`, { name: 'The Anchor' });
    const answer = await write({
      email: 'Ana@Gmail.com',
      mobile_number: '+44 7700 900 123',
      first_name: 'Ana',
      allow_email: 'Y',
      source_name: 'Wifi',
      units: [{ id: String(unit.id), groups: [{ name: 'News' }, { name: 'VIP', folder_name: 'Loyal' }] }],
      notes: [{ text: 'Hello' }],
      feedback: [{ type_id: 1, ratings: [{ category_id: 4, rating_text: 9 }], comments: [{ type: 'x', note: 'y' }] }],
    });
    console.log(JSON.stringify(answer.body), root_unit_id);
    expect(answer.status).toBe(200);
    for (const path of ['', '/notes', '/feedback', '/consent']) {
      const read = await call('GET', `/v1/contact/${answer.body.id}${path}`, { token });
      console.log(JSON.stringify(read.body));
      expect(read.status).toBe(200);
    }
  });
});
