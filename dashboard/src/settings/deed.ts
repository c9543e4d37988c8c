/** What the audit trail says was done: "Create a unit", and the name of what it was done to where that has one. */
interface Deed {
  action: string;
  subject: string | null;
}

/** The verbs of the admin API, as they are told afterwards. */
const past: Record<string, string> = {
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

/** Those that do not read well word by word. */
const special: Record<string, string> = {
  'Accept or reject an e-mail domain': 'Decided on an e-mail domain',
  'Assign unique codes to many contacts': 'Assigned voucher codes to guests',
  'Change your password': 'Changed their own password',
  'Generate or import unique codes': 'Generated or imported voucher codes',
  'Mark two contacts as different people': 'Marked two guests as different people',
  // The words of earlier versions.
  'Change one’s password': 'Changed their own password',
  'Generate or import voucher codes': 'Generated or imported voucher codes',
  'Give contacts a voucher code each': 'Gave guests a voucher code each',
  'Say that they are two people': 'Said of two guests that they are two people',
  'Wrong password': 'Gave a wrong password',
};

/** "Created the unit The Anchor". What is not known stays as it came. */
export function deedInWords({ action, subject }: Deed): string {
  const [verb = '', ...rest] = action.split(' ');
  const told = special[action] ?? (past[verb] ? [past[verb], ...rest].join(' ') : action);
  if (!subject) return told;
  return special[action] ? `${told}: ${subject}` : `${told.replace(/ an? /, ' the ')} ${subject}`;
}

/** "name, time zone": what was sent, where it tells more than the deed does. */
export function fieldsInWords({ action, fields }: { action: string; fields: string[] }): string {
  return action.startsWith('Change ') && !special[action]
    ? fields.map((field) => field.replaceAll('_', ' ')).join(', ')
    : '';
}
