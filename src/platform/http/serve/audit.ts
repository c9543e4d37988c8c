import type { AuditEvent } from '../../../shared/audit-event.ts';
import { present } from '../../../shared/present.ts';
import { propertiesOf } from '../../../shared/record.ts';
import type { RequestCall } from '../request-call.ts';
import type { Route } from '../route.ts';

/** The audit event of a change. It is stored in the transaction of the change, so neither exists without the other. */
export function auditEventOf({ action, account }: Route, call: RequestCall, result: unknown): AuditEvent {
  const { account_id, ...inPath } = call.ids;
  const ids = { ...inPath };
  for (const [name, value] of Object.entries(propertiesOf(call.input)))
    if (/_id$/.test(name) && typeof value === 'number' && Number.isInteger(value))
      ids[name in inPath ? `other_${name}` : name] = value;
  const { id } = propertiesOf(result);
  return {
    accountId: account === 'in path' ? call.accountId : null,
    userId: call.userId,
    actor: call.actor,
    address: call.request.address,
    // The route builders reject an audited route without an action.
    action: present(action, 'action'),
    subject: call.subject,
    ids: typeof id === 'number' ? { ...ids, id } : ids,
    fields: Object.keys(propertiesOf(call.input)),
  };
}
