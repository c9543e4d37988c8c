/** The action of an audit event ("Create a unit"), and the name of its subject, if it has one. */
interface Action {
  action: string;
  subject: string | null;
}

/** The past tense of the verbs of the admin API. */
const pastTense: Record<string, string> = {
  Add: 'Added',
  Assign: 'Assigned',
  Change: 'Changed',
  Create: 'Created',
  Delete: 'Deleted',
  Erase: 'Erased',
  Generate: 'Generated',
  Give: 'Gave',
  Merge: 'Merged',
  Record: 'Recorded',
  Revoke: 'Revoked',
  Say: 'Said',
  Sign: 'Signed',
  Unassign: 'Unassigned',
  Undo: 'Undid',
  Vouch: 'Vouched',
};

/** Actions with a text of their own. */
const exceptions: Record<string, string> = {
  'Change one’s password': 'Changed their own password',
  'Generate or import voucher codes': 'Generated or imported voucher codes',
  'Give contacts a voucher code each': 'Gave guests a voucher code each',
  'Say that they are two people': 'Marked two guests as different people',
  'Wrong password': 'Entered a wrong password',
};

/** "Created the unit The Anchor". Unknown actions are not changed. */
export function describeAction({ action, subject }: Action): string {
  const [verb = '', ...rest] = action.split(' ');
  const text = exceptions[action] ?? (pastTense[verb] ? [pastTense[verb], ...rest].join(' ') : action);
  if (!subject) return text;
  return exceptions[action] ? `${text}: ${subject}` : `${text.replace(/ an? /, ' the ')} ${subject}`;
}

/** The changed fields: "name, time zone". Empty for actions whose text is clear without them. */
export function describeFields({ action, fields }: { action: string; fields: string[] }): string {
  return action.startsWith('Change ') && !exceptions[action]
    ? fields.map((field) => field.replaceAll('_', ' ')).join(', ')
    : '';
}
