/**
 * The actions of the audit trail, and how screens and the command line name them. The database and the APIs hold only
 * the code. A code is never changed or reused: rows that were stored with it stay.
 */
export const actionWords = {
  'account.create': 'Created an account',
  'account.update': 'Changed an account',
  'account.delete': 'Deleted an account',
  'user.create': 'Created a user',
  'user.update': 'Changed a user',
  'user.delete': 'Deleted a user',
  'user.set_password': 'Set the password of a user',
  'user.change_password': 'Changed their own password',
  'user.wrong_password': 'Gave a wrong password',
  'session.create': 'Signed in',
  'session.delete': 'Signed out',
  'session.delete_all': 'Signed out everywhere',
  'token.create': 'Created a personal access token',
  'token.update': 'Changed a personal access token',
  'token.revoke': 'Revoked a personal access token',
  'unit.create': 'Created a venue',
  'unit.update': 'Changed a venue',
  'unit.delete': 'Deleted a venue',
  'folder.create': 'Created a folder',
  'folder.update': 'Changed a folder',
  'folder.delete': 'Deleted a folder',
  'group.create': 'Created a group',
  'group.update': 'Changed a group',
  'group.delete': 'Deleted a group',
  'udf.create': 'Created a user-defined field',
  'udf.update': 'Changed a user-defined field',
  'udf.delete': 'Deleted a user-defined field',
  'source.create': 'Created a source',
  'source.update': 'Changed a source',
  'source.delete': 'Deleted a source',
  'provider.create': 'Created a provider',
  'provider.update': 'Changed a provider',
  'provider.delete': 'Deleted a provider',
  'feedback_category.create': 'Created a feedback category',
  'feedback_category.update': 'Changed a feedback category',
  'feedback_category.delete': 'Deleted a feedback category',
  'booking_source.create': 'Created a booking source',
  'booking_source.update': 'Changed a booking source',
  'booking_source.delete': 'Deleted a booking source',
  'contact.merge': 'Merged two guests',
  'contact.keep_apart': 'Marked two guests as different people',
  'contact.erase': 'Erased a guest',
  'merge.undo': 'Undid a merge',
  'note.create': 'Added a note to a guest',
  'consent.record': 'Recorded the consent of a guest',
  'unique_code_group.create': 'Created a voucher group',
  'unique_code_group.update': 'Changed a voucher group',
  'unique_code_group.delete': 'Deleted a voucher group',
  'unique_code.create': 'Generated or imported voucher codes',
  'unique_code.assign': 'Assigned a voucher code',
  'unique_code.assign_many': 'Gave voucher codes to guests',
  'unique_code.unassign': 'Unassigned a voucher code',
  'segment.create': 'Created a segment',
  'segment.update': 'Changed a segment',
  'segment.delete': 'Deleted a segment',
  'segment.assign_codes': 'Gave voucher codes to a segment',
  'segment.add_to_group': 'Added a segment to a group',
  'segment.cancel_action': 'Cancelled an action on a segment',
  'email_domain.vouch': 'Vouched for an e-mail domain',
  'email_domain.refuse': 'Refused an e-mail domain',
  'backup.create': 'Took a backup',
  'backup.restore': 'Restored a backup',
  'database.distribute': 'Distributed the database',
  'database.move_account': 'Moved an account to another node',
  'database.rebalance': 'Rebalanced the database',
} as const;
export type Action = keyof typeof actionWords;

const wordsOf = new Map<string, string>(Object.entries(actionWords));

/** "Created the venue The Anchor". A text that is no code stays as it is: earlier versions stored some. */
export function describeAction({ action, subject }: { action: string; subject: string | null }): string {
  const words = wordsOf.get(action) ?? action;
  if (!subject) return words;
  return / an? /.test(words) ? `${words.replace(/ an? /, ' the ')} ${subject}` : `${words}: ${subject}`;
}
