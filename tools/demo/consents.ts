import type { RecordConsent } from '../../src/features/guests/consent/schema.ts';
import type { Schedule } from './schedule.ts';
import type { Venue } from './venues.ts';

/** Consent changes that guests ask the staff for, with reasons. */
const askedByEmail: RecordConsent[] = [
  { allow_email: false, reason: 'Asked at the bar to get no more e-mails.' },
  { allow_email: true, reason: 'Filled in the card on the table, kept in the office.' },
  { allow_email: false, allow_sms: false, reason: 'Wrote to us: no marketing at all, please.' },
  { allow_snail_mail: true, reason: 'Wants the Christmas menu by post.' },
];
const askedByPhone: RecordConsent[] = [
  { allow_sms: true, allow_call: true, reason: 'Happy to be rung about cancellations.' },
  { allow_call: false, reason: 'Rang to say: no calls at work.' },
];

/** Guests change their consent in different ways. Later changes by partners are held back by rules. */
export function addConsentChanges(schedule: Schedule): void {
  const { calendar } = schedule;
  for (const guest of schedule.guests) {
    const { chance, email, mobile_number, visits } = guest;
    const [home] = guest.venues as [Venue];
    const [first] = visits as [number];
    const later = (from: number) => chance.between(Math.min(from + 3, calendar.last), calendar.last);
    if (email && chance.percent(13)) {
      const day = later(first);
      const left = {
        allow_email: false,
        source_name: chance.pick(['Unsubscribe link', 'Unsubscribe link', 'Preferences page']),
      };
      schedule.add(day, guest, (api) => api.contact('mail', guest, left));
      if (chance.percent(22)) {
        const back = { allow_email: true, source_name: 'Preferences page' };
        schedule.add(later(day), guest, (api) => api.contact('mail', guest, back));
      }
    }
    if (mobile_number && chance.percent(7)) {
      const stop = { allow_sms: false, source_name: 'Preferences page' };
      schedule.add(later(first), guest, (api) => api.contact('mail', guest, stop));
    }
    if (chance.percent(3)) {
      const asked = chance.pick(email ? askedByEmail : askedByPhone);
      schedule.add(later(first), guest, (api) => api.about(guest, 'consent', asked));
    }
    if (email && chance.percent(5)) {
      const letter = {
        allow_email: true,
        source_name: 'Christmas competition',
        units: [{ id: schedule.lists.rootUnitId, groups: [{ folder_name: 'Newsletters', name: 'Weekly letter' }] }],
      };
      schedule.add(later(first), guest, (api) => api.contact('mail', guest, letter));
    }
    // Data of the old system does not override later consent.
    if (email && chance.percent(3)) {
      const imported = {
        allow_email: true,
        allow_snail_mail: true,
        source_name: 'Import from the old system',
        units: [{ id: home.id }],
        rules: [{ rule_name: 'historic_data' as const }],
      };
      schedule.add(later(first), guest, (api) => api.contact('tills', guest, imported));
    }
  }
}
