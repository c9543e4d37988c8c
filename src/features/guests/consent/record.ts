import type { Tx } from '../../../platform/db/database.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import { channels, flagOf } from '../../../shared/codes.ts';
import { Invalid } from '../../../shared/problem.ts';
import { refreshFigures } from '../../figures/refresh-store.ts';
import { consentChanged } from '../contacts/event-schema.ts';
import { lockSurvivor, putContacts } from '../contacts/store.ts';
import type { ConsentFlags, RecordConsent } from './schema.ts';
import { appendToLedger } from './store.ts';

/** Records a consent that a guest told the staff. Writes an entry for each flag that changes. */
export async function recordConsent(
  tx: Tx,
  accountId: number,
  contactId: number,
  { reason, ...asked }: RecordConsent,
  actor: string,
): Promise<ConsentFlags> {
  if (channels.every((channel) => asked[flagOf[channel]] === undefined)) throw noFlagError();
  const row = await lockSurvivor(tx, accountId, contactId);
  const { id: contact_id, allow_email, allow_sms, allow_call, allow_snail_mail } = row;
  const before: ConsentFlags = { allow_email, allow_sms, allow_call, allow_snail_mail };
  const after: ConsentFlags = { ...before, ...asked };
  const changed = channels.filter((channel) => before[flagOf[channel]] !== after[flagOf[channel]]);
  if (changed.length === 0) return before;
  await putContacts(tx, accountId, [{ ...row, ...after }]);
  await appendToLedger(
    tx,
    accountId,
    changed.map((channel) => ({
      ...{ contact_id, channel, from: before[flagOf[channel]], to: after[flagOf[channel]], applied: true },
      ...{ rule: null, source_id: null, token_id: null, actor, reason },
    })),
  );
  await refreshFigures(tx, accountId, { consented: [contact_id] }, { own: new Set([contact_id]) });
  const events = changed.map((channel) => {
    const [from, to] = [before[flagOf[channel]], after[flagOf[channel]]];
    return consentChanged.of({ contact_id, channel, from, to, rule: null, source_id: null });
  });
  await appendEvents(tx, accountId, events);
  return after;
}

function noFlagError(): Invalid {
  const flags = channels.map((channel) => flagOf[channel]);
  return new Invalid(
    Object.fromEntries(
      flags.map((flag) => [flag, [`The ${flag.replaceAll('_', ' ')} field is required when no other flag is given.`]]),
    ),
  );
}
