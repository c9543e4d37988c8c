import { IconDeviceMobileMessage, IconMail, IconMailbox, IconPhone, type TablerIcon } from '@tabler/icons-react';
import type { FoundContact } from '#service/features/guests/contacts/schema.ts';
import { type Channel, flagOf } from '#service/shared/codes.ts';

/** The fields that a guest can be named by. */
export type GuestNames = Pick<FoundContact, 'first_name' | 'last_name' | 'email' | 'mobile_number'>;

/** The name, or else the e-mail, or else the mobile number. */
export function guestName({ first_name, last_name, email, mobile_number }: GuestNames): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email || formatMobile(mobile_number) || 'Unnamed guest';
}

/** The values that distinguish guests of the same name. */
export function guestDetails({ email, mobile_number, membership_number }: FoundContact): string {
  return [email, formatMobile(mobile_number), membership_number].filter(Boolean).join(' · ');
}

/** Formats 447700900123 as "+44 7700 900123". */
export function formatMobile(number: string): string {
  return number.replace(/^44(\d{4})(\d+)$/, '+44 $1 $2');
}

export const genderName = ({ gender }: { gender: string }) => ({ F: 'Female', M: 'Male' })[gender] ?? gender;

/** The channels of consent, in the order of the screens. */
const channelText: Record<Channel, { name: string; icon: TablerIcon }> = {
  email: { name: 'E-mail', icon: IconMail },
  sms: { name: 'Texts', icon: IconDeviceMobileMessage },
  call: { name: 'Calls', icon: IconPhone },
  snail_mail: { name: 'Post', icon: IconMailbox },
};
export const shownChannels = (Object.keys(channelText) as Channel[]).map((channel) => ({
  channel,
  flag: flagOf[channel],
  ...channelText[channel],
}));

export const channelName = (channel: Channel) => channelText[channel].name;

/** The consent flags, as booleans in a list or as '1' and '' in a contact. */
export type Flags = { [Flag in (typeof flagOf)[Channel]]: boolean | '1' | '' };
