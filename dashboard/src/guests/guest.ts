import { IconDeviceMobileMessage, IconMail, IconMailbox, IconPhone } from '@tabler/icons-react';
import type { FoundContact } from '#service/features/guests/contacts/schema.ts';

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

/** The channels of consent. */
export const channels = [
  { channel: 'email', flag: 'allow_email', name: 'E-mail', icon: IconMail },
  { channel: 'sms', flag: 'allow_sms', name: 'Texts', icon: IconDeviceMobileMessage },
  { channel: 'call', flag: 'allow_call', name: 'Calls', icon: IconPhone },
  { channel: 'snail_mail', flag: 'allow_snail_mail', name: 'Post', icon: IconMailbox },
] as const;
export type Channel = (typeof channels)[number]['channel'];

export const channelName = (channel: Channel) => channels.find((one) => one.channel === channel)?.name ?? channel;

/** The consent flags, as booleans in a list or as '1' and '' in a contact. */
export type Flags = { [Flag in (typeof channels)[number]['flag']]: boolean | '1' | '' };
