import type { StaffConsentEntry } from '#service/features/guests/consent/schema.ts';
import { channelName } from './guest.ts';

/** The result of a consent entry: "E-mail: allowed". */
export function consentOutcome({ channel, from, to, applied }: StaffConsentEntry): string {
  const name = channelName(channel);
  if (applied) return to ? `${name}: allowed` : `${name}: no longer allowed`;
  return from ? `${name}: still allowed` : `${name}: still not allowed`;
}

/** The reason for a consent entry. The entry can belong to a contact that was merged into this guest. */
export function consentReason(entry: StaffConsentEntry, guestId: number): string {
  const about =
    entry.contact_id === guestId ? '' : ` It belongs to contact ${entry.contact_id}, which is merged into this guest.`;
  return `${reasonOf(entry)}${about}`;
}

function reasonOf(entry: StaffConsentEntry): string {
  const { rule, to, applied, reason } = entry;
  const by = actorOf(entry);
  if (rule === 'preserve_consent')
    return `Not applied because of preserve_consent: ${by} said no, but sent the rule that given consent stays.`;
  if (rule === 'historic_data')
    return `Not applied because of historic_data: ${by} said ${to ? 'yes' : 'no'}, but as old data, which does not change the consent of an existing guest.`;
  if (rule === 'merge' && applied && to)
    return `Taken over in a merge, with the address that it was given for. Merged by ${by}.`;
  if (rule === 'merge' && applied)
    return `Ended by a merge: the other contact of this guest had withdrawn this consent. Merged by ${by}.`;
  if (rule === 'merge')
    return `Not taken over in a merge: the other contact gave this consent for an address that this guest did not take over, or this guest had withdrawn it. Merged by ${by}.`;
  if (rule === 'undo' && applied)
    return `Withdrawn when a merge was undone, because it came with the merge. Undone by ${by}.`;
  if (rule === 'undo')
    return `Not restored when a merge was undone, because only the guest can give it again. Undone by ${by}.`;
  if (rule !== null)
    return `${applied ? 'Changed' : 'Not applied'} by the rule ${rule}: ${by} said ${to ? 'yes' : 'no'}.`;
  if (reason) return `Recorded by ${by}: “${reason}”`;
  return `${capitalise(by)} said ${to ? 'yes' : 'no'}.`;
}

/** The actor: a user, or the source and token of a partner's request. */
function actorOf({ actor, source_name, token_name }: StaffConsentEntry): string {
  if (actor) return actor === 'admin token' ? 'the admin token' : actor;
  const token = token_name ? `the token “${token_name}”` : 'a partner’s request';
  return source_name ? `the source “${source_name}”, sent with ${token},` : token;
}

const capitalise = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
