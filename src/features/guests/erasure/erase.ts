import { Conflict, type Tx } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/db/jobs.ts';
import { lockKeys } from '../../../platform/db/locks.ts';
import { replaceStatisticsTask } from '../../../platform/db/statistics.ts';
import { deleteRecordsOf } from '../../../platform/idempotency/store.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import { eraseEvents } from '../../../platform/outbox/erase.ts';
import { domainOf } from '../../../shared/domain-name.ts';
import { eraseRequestIds } from '../../access/requests/store.ts';
import { removeMemberKeys } from '../../activity/purchases/store.ts';
import { deleteStaysOf, lockStaysOf } from '../../activity/stays/store.ts';
import { appendCodeChanges } from '../../figures/code-counts-store.ts';
import { appendChanges, eraseFigures } from '../../figures/refresh-store.ts';
import { selectDaysOfContacts } from '../../figures/unit-days-store.ts';
import { type Identity, type IdentityKind, identityKey } from '../../identity/identities/schema.ts';
import { lineage, selectIdentities, selectMergedPeriods, withoutOtherOwners } from '../../identity/identities/store.ts';
import { releaseCodesOf } from '../../vouchers/store.ts';
import { contactErased } from '../contacts/event-schema.ts';
import {
  allowErasure,
  type ContactRow,
  deleteContacts,
  eraseNames,
  lockContacts,
  lockForDeletion,
} from '../contacts/store.ts';
import { deleteLearntDomains, removeRechecks } from '../domains/store.ts';

/** Several erasures share one run. */
const statisticsAfterSeconds = 60;

/**
 * Erases a contact: its activity, the contacts merged into it, its consent ledger, and its values in other rows.
 * docs/security.md lists what stays, and for how long. Returns the erased ids.
 */
export async function eraseContact(tx: Tx, accountId: number, id: number): Promise<number[]> {
  const ids = await lineage(tx, accountId, id);
  const known = await selectIdentities(tx, accountId, ids);
  // Lock keys before rows, as writers do. This waits for purchases that are being stored with one of these numbers.
  await lockKeys(tx, accountId, known.map(identityKey));
  const rows = await lockContacts(tx, accountId, ids);
  const [family, stillKnown] = [await lineage(tx, accountId, id), await selectIdentities(tx, accountId, ids)];
  if (rows.length !== ids.length || family.length !== ids.length || stillKnown.length !== known.length)
    throw new Conflict();
  const all = [...known, ...rows.flatMap(identitiesIn)];
  const numbers = await withoutOtherOwners(tx, accountId, all.filter(isNumber), ids);
  const emails = valuesOf(all, 'email');
  const domains = [...new Set(emails.map(domainOf))];

  await allowErasure(tx);
  await eraseNames(tx, accountId, ids, addressPatterns(all), namePatterns(rows));
  await lockStaysOf(tx, accountId, ids);
  const stays = await deleteStaysOf(tx, accountId, ids);
  await deleteRecordsOf(tx, accountId, ids);
  await appendCodeChanges(tx, accountId, await releaseCodesOf(tx, accountId, ids));
  // Under this lock no activity is added, so the days are complete.
  await lockForDeletion(tx, accountId, ids);
  const days = await selectDaysOfContacts(tx, accountId, ids);
  const periods = await selectMergedPeriods(tx, accountId, ids);
  await deleteContacts(tx, accountId, ids);
  await appendChanges(tx, accountId, { unitDays: [...stays, ...days] });
  await removeMemberKeys(tx, accountId, valuesOf(numbers, 'membership'), valuesOf(numbers, 'card'));
  await eraseRequestIds(tx, accountId, [...addressPatterns(all), ...loosePatterns(all), ...namePatterns(rows)]);
  await removeRechecks(tx, accountId, domains);
  await eraseFigures(tx, accountId, ids);
  await eraseEvents(tx, accountId, ids, periods);
  const merged_contact_ids = ids.filter((one) => one !== ids[0]);
  await appendEvents(tx, accountId, [
    contactErased.of({ contact_id: ids[0] ?? id, merged_contact_ids }, merged_contact_ids),
  ]);
  await enqueue(tx, replaceStatisticsTask, [{ payload: {}, key: 'after an erasure' }], statisticsAfterSeconds);
  // Last, because accounts share these rows.
  await deleteLearntDomains(tx, domains);
  return ids;
}

const isNumber = ({ kind }: Identity) => kind === 'membership' || kind === 'card';

function valuesOf(identities: Identity[], kind: IdentityKind): string[] {
  return [...new Set(identities.filter((one) => one.kind === kind).map(({ value }) => value))];
}

/** The identities in a contact's row. They can belong to another contact by now. */
function identitiesIn({ email, mobile_number, membership_number, card_reference }: ContactRow): Identity[] {
  const values: [IdentityKind, string | null][] = [
    ['email', email],
    ['mobile', mobile_number],
    ['membership', membership_number],
    ['card', card_reference],
  ];
  return values.flatMap(([kind, value]) => (value ? [{ kind, value }] : []));
}

const escapeLike = (text: string) => text.toLowerCase().replace(/[\\%_]/g, '\\$&');
const containing = (text: string) => `%${text}%`;
/** Shorter texts occur in many unrelated words. */
const minLength = 5;

/**
 * Patterns (`like`, lower case) of texts that contain an e-mail, with any character for its `@`, or a mobile number.
 */
function addressPatterns(all: Identity[]): string[] {
  const emails = valuesOf(all, 'email').map((email) => escapeLike(email).replace('@', '_'));
  // The national and the international form.
  const mobiles = valuesOf(all, 'mobile').map((mobile) => escapeLike(mobile.replace(/^44/, '')));
  return [...emails, ...mobiles].map(containing);
}

/** Patterns of texts that contain a part of an e-mail, or a membership or card number. */
function loosePatterns(all: Identity[]): string[] {
  const parts = valuesOf(all, 'email').map((email) => email.slice(0, email.lastIndexOf('@')));
  const long = [...parts, ...valuesOf(all, 'membership'), ...valuesOf(all, 'card')].filter(
    (text) => text.length >= minLength,
  );
  return long.map((text) => containing(escapeLike(text)));
}

/** Patterns of texts that contain the first and last name with any one character between them. */
function namePatterns(rows: ContactRow[]): string[] {
  return rows.flatMap(({ first_name, last_name }) =>
    first_name && last_name ? [containing(`${escapeLike(first_name)}_${escapeLike(last_name)}`)] : [],
  );
}
