import { Accordion, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ContactSegments, Membership } from '#service/features/insight/segments/schema.ts';
import type { Condition } from '#service/shared/segment-fields.ts';
import { get } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { formatDay, withCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { useNames } from '../segments/names.ts';
import { segmentPath } from '../segments/paths.ts';
import { actualText, conditionText } from '../segments/sentence.ts';
import classes from './GuestSegments.module.css';

/** The segments that a guest is in. Opening one shows why. */
export function GuestSegments({ id }: { id: number }) {
  const { path } = useAccount();
  const { data, error, refetch } = useQuery(get<ContactSegments>(`${path}/contacts/${id}/segments`));
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <Panel title="Segments" flush={data !== undefined && data.data.length > 0}>
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height="3rem" />}
      {data && data.data.length === 0 && <Text c="dimmed">In no segment.</Text>}
      {data && data.data.length > 0 && (
        <Accordion order={3} value={opened} onChange={setOpened} classNames={{ label: classes.label ?? '' }}>
          {data.data.map((segment) => (
            <Accordion.Item key={segment.id} value={String(segment.id)}>
              <Accordion.Control>{segment.name}</Accordion.Control>
              <Accordion.Panel>
                {opened === String(segment.id) && <Reasons segmentId={segment.id} guestId={id} />}
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
      {data && data.not_evaluated.length > 0 && (
        <Text size="sm" c="dimmed" p={data.data.length > 0 ? 'md' : undefined}>
          {withCount(data.not_evaluated.length, 'more segment')} could not be checked in time.
        </Text>
      )}
    </Panel>
  );
}

function Reasons({ segmentId, guestId }: { segmentId: number; guestId: number }) {
  const account = useAccount();
  const path = segmentPath(account, segmentId);
  const { data, error, refetch } = useQuery(get<Membership>(`${path}/contacts/${guestId}`));
  const nameOf = useNames((data?.because ?? []).map(({ condition }) => condition));
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height="3rem" />;
  return (
    <Stack gap="xs">
      <ul className={classes.reasons} aria-label="Conditions">
        {data.because.map(({ condition, holds, actual }, n) => {
          const Icon = holds ? IconCheck : IconX;
          const own = actualText(condition as Condition, actual, nameOf);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two conditions can be equal, and their order is fixed
            <li key={n} data-holds={holds || undefined}>
              <Icon size={16} aria-hidden />
              <span>
                {conditionText(condition as Condition, nameOf)}
                <VisuallyHidden> ({holds ? 'true' : 'not true'})</VisuallyHidden>
                {own && (
                  <Text size="sm" c="dimmed">
                    This guest: {own}
                  </Text>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      <Text size="sm">{periodText(data)}</Text>
      <TextLink
        to="/accounts/$accountId/segments/$segmentId"
        params={{ accountId: account.id, segmentId }}
        size="sm"
        underline="always"
      >
        Show the segment
      </TextLink>
    </Stack>
  );
}

/** "In the segment since 1 Mar 2026, until 30 Mar 2026 if nothing else happens." */
function periodText({ member, since, until }: Membership): string {
  if (!member) return 'Not in the segment any more.';
  const from = since ? ` since ${formatDay(since)}` : '';
  return until
    ? `In the segment${from} until ${formatDay(until)}, if nothing else happens.`
    : `In the segment${from}, with no known end.`;
}
