import type { StaffConsentEntry } from '#service/features/guests/consent/schema.ts';
import { capital } from '../ui/format.ts';
import { channelName } from './guest.ts';

/** What came of it: "E-mail: allowed". */
export function consentOutcome({ channel, from, to, applied }: StaffConsentEntry): string {
  const name = channelName(channel);
  if (applied) return to ? `${name}: allowed` : `${name}: no longer allowed`;
  return from ? `${name}: still allowed` : `${name}: still not allowed`;
}

/** Why, in a sentence or two. The entry may be of a contact that is this guest today. */
export function consentReason(entry: StaffConsentEntry, guestId: number): string {
  const about = entry.contact_id === guestId ? '' : ` This was contact ${entry.contact_id}, who is this guest today.`;
  return `${reasonOf(entry)}${about}`;
}

function reasonOf(entry: StaffConsentEntry): string {
  const { rule, to, applied, reason } = entry;
  const by = whoOf(entry);
  if (rule === 'preserve_consent')
    return `Refused by preserve_consent: ${by} said no, but with the rule that a consent once given is kept.`;
  if (rule === 'historic_data')
    return `Refused by historic_data: ${by} said ${to ? 'yes' : 'no'}, but as old data, which changes nothing for a guest who is known already.`;
  if (rule === 'merge' && applied && to)
    return `Taken over in a merge, with the address that the other contact of this guest gave it for. Merged by ${by}.`;
  if (rule === 'merge' && applied)
    return `Ended by a merge: the other contact of this guest had taken this consent back. Merged by ${by}.`;
  if (rule === 'merge')
    return `Not taken over in a merge: the other contact had given this consent, but for an address that this guest did not take over, or this guest had withdrawn it. Merged by ${by}.`;
  if (rule === 'undo' && applied) return `Taken back when a merge was undone: the merge had given it. Undone by ${by}.`;
  if (rule === 'undo')
    return `Not given back when a merge was undone: only the guest can give it again. Undone by ${by}.`;
  if (rule !== null)
    return `${applied ? 'Changed' : 'Held back'} by the rule ${rule}: ${by} said ${to ? 'yes' : 'no'}.`;
  if (reason) return `Recorded by ${by}: “${reason}”`;
  return `${capital(by)} said ${to ? 'yes' : 'no'}.`;
}

/** Staff, or whatever is known of a partner's request. */
function whoOf({ actor, source_name, token_name }: StaffConsentEntry): string {
  if (actor) return actor === 'admin token' ? 'the admin token' : actor;
  const token = token_name ? `the token “${token_name}”` : 'a partner’s request';
  return source_name ? `the source “${source_name}”, sent with ${token},` : token;
}
