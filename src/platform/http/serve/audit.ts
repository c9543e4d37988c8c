import type { AuditEvent } from '../../../shared/audit-event.ts';
import type { RequestCall } from '../request-call.ts';
import type { Route } from '../route.ts';

/** The audit event of a change. It is stored in the transaction of the change, so neither exists without the other. */
export function auditEventOf({ action, account }: Route, call: RequestCall, result: unknown): AuditEvent {
  const { account_id, ...inPath } = call.ids;
  const ids = { ...inPath };
  for (const [name, value] of Object.entries(call.input as object))
    if (/_id$/.test(name) && Number.isInteger(value)) ids[name in inPath ? `other_${name}` : name] = value;
  const { id } = (result ?? {}) as { id?: unknown };
  return {
    accountId: account === 'in path' ? call.accountId : null,
    userId: call.userId,
    actor: call.actor,
    address: call.request.address,
    // The route builders reject an audited route without an action.
    action: action as string,
    subject: call.subject,
    ids: typeof id === 'number' ? { ...ids, id } : ids,
    fields: Object.keys(call.input as object),
  };
}
