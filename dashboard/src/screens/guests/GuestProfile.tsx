import { Anchor, Badge, Group, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import type { Lookup } from '#service/features/venues/lookups/schema.ts';
import { getAll } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { Details } from '../../ui/Details.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { DateTime, WallClock } from '../../ui/Values.tsx';
import { formatMobile, genderName } from './guest.ts';

/** The profile fields of a guest. */
export function GuestProfile({ guest }: { guest: StaffContact }) {
  const { path } = useAccount();
  const sources = useQuery(getAll<Lookup>(`${path}/sources`));
  const source = sources.data?.find(({ id }) => String(id) === guest.source_id);
  return (
    <Panel title="Profile">
      <Details
        rows={[
          ['E-mail', guest.email && <Email guest={guest} />],
          ['Mobile', guest.mobile_number && <Phone number={guest.mobile_number} />],
          ['Home', guest.home_number && <Phone number={guest.home_number} />],
          ['Work', guest.work_number && <Phone number={guest.work_number} />],
          ['Address', addressOf(guest)],
          ['Title', guest.title],
          ['Born', guest.dob && <WallClock at={guest.dob} dayOnly />],
          ['Gender', genderName(guest)],
          ['Membership', [guest.membership_number, guest.membership_type].filter(Boolean).join(', ')],
          ['Loyalty card', guest.card_reference],
          ['Preferred', guest.preferred_method_id && `Contact method ${guest.preferred_method_id}`],
          ['Source', source?.name],
          ['Contact id', guest.id],
          ['Changed', <DateTime key="changed" at={guest.updated_at} />],
        ]}
      />
    </Panel>
  );
}

const emailProblems = {
  unchecked: [
    'Not checked yet',
    'DNS did not answer whether this domain receives mail. The service checks again automatically.',
  ],
  invalid: ['No mail', 'The domain of this address does not receive mail.'],
} as const;

function Email({ guest: { email, email_status } }: { guest: StaffContact }) {
  const problem = email_status && emailProblems[email_status];
  return (
    <Group gap={6}>
      <Anchor href={`mailto:${email}`}>
        {/* Allows a line break before the domain. */}
        {email.split('@')[0]}
        <wbr />@{email.split('@')[1]}
      </Anchor>
      {problem && (
        <Tooltip label={problem[1]} multiline maw="18rem" events={{ hover: true, focus: true, touch: true }}>
          <Badge color={email_status === 'invalid' ? 'red' : 'yellow'} tabIndex={0}>
            {problem[0]}
          </Badge>
        </Tooltip>
      )}
    </Group>
  );
}

function Phone({ number }: { number: string }) {
  const shown = formatMobile(number);
  return <Anchor href={`tel:${shown.replaceAll(' ', '')}`}>{shown}</Anchor>;
}

function addressOf(guest: StaffContact): ReactNode {
  const lines = [
    guest.building_name,
    guest.building_num_street,
    guest.locality,
    [guest.city, guest.postcode].filter(Boolean).join(' '),
    guest.county,
    guest.country,
  ].filter(Boolean);
  return (
    lines.length > 0 && <address style={{ fontStyle: 'normal', whiteSpace: 'pre-line' }}>{lines.join('\n')}</address>
  );
}
