/** An entry of the audit trail. It contains names and ids, never sent values, which can be guest data or secrets. */
export interface AuditEvent {
  accountId: number | null;
  userId: number | null;
  /** The user's e-mail, the admin token or the command line. */
  actor: string;
  /** The client's address; null: the command line. */
  address: string | null;
  action: string;
  /** The name of the changed item. */
  subject: string | null;
  ids: Record<string, number>;
  /** The names of the fields that were sent. */
  fields: string[];
}
