/** An entry of the audit trail. It contains names and ids, never sent values, which can be guest data or secrets. */
export interface AuditEvent {
  accountId: number | null;
  userId: number | null;
  /** Who, in words. */
  actor: string;
  /** The client's address; null: the command line. */
  address: string | null;
  /** A code of `actionWords`. */
  action: string;
  /** The name of the changed item. */
  subject: string | null;
  ids: Record<string, number>;
  /** The names of the fields that were sent. */
  fields: string[];
}
