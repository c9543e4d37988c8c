import type { Tx } from '../../../platform/db/database.ts';
import { only } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { present } from '../../../shared/present.ts';
import { Invalid } from '../../../shared/problem.ts';
import { findOwner } from '../../identity/identities/store.ts';
import type { Contact, FindContact, ListContacts, StaffContact } from './schema.ts';
import {
  type ContactRow,
  type Details,
  findContact,
  findStaffContact,
  noSuchContact,
  type StaffRow,
  selectContacts,
  selectDetails,
} from './store.ts';
import { contactObject } from './view.ts';

/** The contact with this id, or the survivor it was merged into. */
export async function showContact(tx: Tx, accountId: number, id: number, root: string): Promise<Contact> {
  const found = await findContact(tx, accountId, id);
  const row = found?.merged_into ? await findContact(tx, accountId, found.merged_into) : found;
  if (!row) throw noSuchContact();
  return contactObject(row, await detailsOf(tx, accountId, row), root);
}

/** The owner of the e-mail, or else of the mobile number. */
export async function findContactBy(
  tx: Tx,
  accountId: number,
  { email, mobile_number }: FindContact,
  root: string,
): Promise<Contact> {
  if (email === undefined && mobile_number === undefined) {
    throw new Invalid({
      email: ['The email field is required when there is no mobile number.'],
      mobile_number: ['The mobile number field is required when there is no email.'],
    });
  }
  const id = await findByIdentity(tx, accountId, { email, mobile_number });
  if (id === undefined) throw noSuchContact();
  return showContact(tx, accountId, id, root);
}

async function findByIdentity(
  tx: Tx,
  accountId: number,
  { email, mobile_number }: { email: string | undefined; mobile_number: string | undefined },
): Promise<number | undefined> {
  const byEmail = email === undefined ? undefined : await findOwner(tx, accountId, { kind: 'email', value: email });
  if (byEmail !== undefined || mobile_number === undefined) return byEmail;
  return findOwner(tx, accountId, { kind: 'mobile', value: mobile_number });
}

export async function showStaffContact(tx: Tx, accountId: number, id: number, root: string): Promise<StaffContact> {
  const found = await findContact(tx, accountId, id);
  const row = found && (await findStaffContact(tx, accountId, found.merged_into ?? id));
  if (!row) throw noSuchContact();
  return staffContact(row, await detailsOf(tx, accountId, row), root);
}

export async function listContacts(
  tx: Tx,
  accountId: number,
  filter: ListContacts,
  slice: Slice,
  root: string,
): Promise<Rows<StaffContact>> {
  const { email, mobile_number, email_status } = filter;
  const id =
    email === undefined && mobile_number === undefined
      ? undefined
      : ((await findByIdentity(tx, accountId, { email, mobile_number })) ?? null);
  const { rows, total } = await selectContacts(tx, accountId, { id, status: email_status }, slice);
  const ids = rows.map((row) => row.id);
  const details = new Map((await selectDetails(tx, accountId, ids)).map((entry) => [entry.id, entry]));
  return { rows: rows.map((row) => staffContact(row, present(details.get(row.id), 'contact'), root)), total };
}

async function detailsOf(tx: Tx, accountId: number, { id }: ContactRow): Promise<Details> {
  return only(await selectDetails(tx, accountId, [id]));
}

function staffContact(row: StaffRow, details: Details, root: string): StaffContact {
  return {
    ...contactObject(row, details, root),
    card_reference: row.card_reference ?? '',
    email_status: row.email_status,
    merged_contact_ids: row.merged_contact_ids,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
