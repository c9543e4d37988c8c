/**
 * What somebody changed, for the audit trail. Names and ids, never what was sent: that may be a guest's, or a secret.
 */
export interface AuditEvent {
  accountId: number | null;
  userId: number | null;
  /** Who and what, in words. */
  actor: string;
  /** The client's; null: the command line. */
  address: string | null;
  action: string;
  /** The name of what it was done to. */
  subject: string | null;
  ids: Record<string, number>;
  /** The names of the fields that were sent. */
  fields: string[];
}
