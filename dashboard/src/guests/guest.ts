import { IconDeviceMobileMessage, IconMail, IconMailbox, IconPhone, type TablerIcon } from '@tabler/icons-react';
import type { FoundContact } from '#service/features/guests/contacts/schema.ts';
import { type Channel, flagOf } from '#service/shared/codes.ts';

/** What one may know somebody by. */
export type Known = Pick<FoundContact, 'first_name' | 'last_name' | 'email' | 'mobile_number'>;

/** By name; failing that by e-mail, or number. */
export function guestName({ first_name, last_name, email, mobile_number }: Known): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email || formatMobile(mobile_number) || 'Unnamed guest';
}

/** What tells apart two of the same name. */
export function guestDetails({ email, mobile_number, membership_number }: FoundContact): string {
  return [email, formatMobile(mobile_number), membership_number].filter(Boolean).join(' · ');
}

/** Kept as 447700900123: "+44 7700 900123". */
export function formatMobile(number: string): string {
  return number.replace(/^44(\d{4})(\d+)$/, '+44 $1 $2');
}

export const genderName = ({ gender }: { gender: string }) => ({ F: 'Female', M: 'Male' })[gender] ?? gender;

/** In the order of the screens. */
const channelWords: Record<Channel, { name: string; icon: TablerIcon }> = {
  email: { name: 'E-mail', icon: IconMail },
  sms: { name: 'Texts', icon: IconDeviceMobileMessage },
  call: { name: 'Calls', icon: IconPhone },
  snail_mail: { name: 'Post', icon: IconMailbox },
};
export const shownChannels = (Object.keys(channelWords) as Channel[]).map((channel) => ({
  channel,
  flag: flagOf[channel],
  ...channelWords[channel],
}));

export const channelName = (channel: Channel) => channelWords[channel].name;

/** The flags as a list answers them, or as the contact itself does. */
export type Flags = { [Flag in (typeof flagOf)[Channel]]: boolean | '1' | '' };
