import { Badge, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { StaffConsentEntry } from '#service/features/guests/consent/schema.ts';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import { getPages } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { MoreList } from '../../ui/MoreList.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { DateTime } from '../../ui/Values.tsx';
import { consentOutcome, consentReason } from './consent-text.ts';
import classes from './GuestConsent.module.css';
import { shownChannels } from './guest.ts';
import { RecordConsent } from './RecordConsent.tsx';

/** The consent of a guest per channel, and its history. */
export function GuestConsent({ guest }: { guest: StaffContact }) {
  const { path } = useAccount();
  const mayWrite = useHasRole('staff');
  const history = useInfiniteQuery(getPages<StaffConsentEntry>(`${path}/contacts/${guest.id}/consent`));
  return (
    <Panel title="Consent" flush actions={mayWrite && <RecordConsent guest={guest} />}>
      <ul className={classes.channels} aria-label="Consent">
        {shownChannels.map(({ channel, flag, name, icon: Icon }) => (
          <li key={channel}>
            <Icon size={16} stroke={1.75} aria-hidden />
            {name}
            <Badge color={guest[flag] ? 'green' : 'gray'} ml="auto">
              {guest[flag] ? 'Allowed' : 'Not allowed'}
            </Badge>
          </li>
        ))}
      </ul>
      <h3 className={classes.heading}>History</h3>
      <MoreList
        label="Consent history"
        of={history}
        first={3}
        rowKey={(entry) => entry.id}
        render={(entry) => (
          <>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              <Text fw={500} size="sm">
                {consentOutcome(entry)}
              </Text>
              {!entry.applied && (
                <Badge color="yellow" flex="none">
                  Not applied
                </Badge>
              )}
            </Group>
            <Text size="sm">{consentReason(entry, guest.id)}</Text>
            <Text size="sm" c="dimmed">
              <DateTime at={entry.at} />
            </Text>
          </>
        )}
        empty={
          <Text c="dimmed" p="md">
            No consent was ever given or withdrawn.
          </Text>
        }
      />
    </Panel>
  );
}
