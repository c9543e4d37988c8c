import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';

/** The app, and functions that create accounts with contacts to merge. */
export async function mergeSetup() {
  const { account, admin, call, database, db } = await testApp();
  const sql = await superuser(database);

  async function group() {
    const { id, token, root_unit_id } = await account();
    const at = `/accounts/${id}`;
    const { body: unit } = await admin('POST', `${at}/units`, { name: 'The Anchor' });
    const { body: udf } = await admin('POST', `${at}/udfs`, { name: 'Allergies', type: 'text' });
    const write = async (body: object) => (await call('POST', '/v1/contact', { token, body })).body;
    const read = async (contactId: number, path = '') =>
      (await call('GET', `/v1/contact/${contactId}${path}`, { token })).body;
    const undo = (mergeId: number) => admin('POST', `${at}/merges/${mergeId}/undo`);
    const merges = async () => (await admin('GET', `${at}/merges`)).body.data;
    const duplicates = async () => (await admin('GET', `${at}/possible_duplicates`)).body.data;
    const mergeInto = (into: number, contact_id: number) =>
      admin('POST', `${at}/contacts/${into}/merge`, { contact_id });
    return {
      id,
      at,
      token,
      root: root_unit_id,
      unit: unit.id,
      udf: udf.id,
      write,
      read,
      undo,
      merges,
      duplicates,
      mergeInto,
    };
  }

  /** A contact with an e-mail, and a contact with a phone and much activity. */
  async function twoHalves() {
    const there = await group();
    const byEmail = await there.write({ email: 'ana@gmail.com', first_name: 'Ana', allow_email: true });
    const byPhone = await there.write({
      mobile_number: '07700900001',
      first_name: 'Anna',
      last_name: 'Silva',
      gender: '',
      allow_sms: true,
      source_name: 'Wifi',
      units: [{ id: there.unit, groups: [{ name: 'News' }] }],
      udfs: [{ id: there.udf, data: 'nuts' }],
      notes: [{ text: 'by phone' }],
      feedback: [{ comments: [{ note: 'fine' }] }],
    });
    const before = { byEmail: await there.read(byEmail.id), byPhone: await there.read(byPhone.id) };
    return { ...there, email: byEmail.id as number, phone: byPhone.id as number, before };
  }

  const joining = { email: 'ana@gmail.com', mobile_number: '07700900001', notes: [{ text: 'joined' }] };

  return { admin, call, db, sql, group, twoHalves, joining };
}
