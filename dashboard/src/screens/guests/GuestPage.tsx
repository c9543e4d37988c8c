import { Group, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { Page } from '../../ui/Page.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { DateTime } from '../../ui/Values.tsx';
import { EraseGuest } from './EraseGuest.tsx';
import { GuestConsent } from './GuestConsent.tsx';
import { GuestFigures } from './GuestFigures.tsx';
import { GuestMerges } from './GuestMerges.tsx';
import { GuestNotes } from './GuestNotes.tsx';
import classes from './GuestPage.module.css';
import { GuestProfile } from './GuestProfile.tsx';
import { GuestSegments } from './GuestSegments.tsx';
import { GuestSummary } from './GuestSummary.tsx';
import { GuestsLink } from './GuestsLink.tsx';
import { GuestUdfs } from './GuestUdfs.tsx';
import { GuestVenues } from './GuestVenues.tsx';
import { GuestVouchers } from './GuestVouchers.tsx';
import { guestName } from './guest.ts';
import { MergeGuest } from './MergeGuest.tsx';
import { guestQuery } from './queries.ts';
import { Timeline } from './Timeline.tsx';

const route = getRouteApi('/guard/accounts/$accountId/guests/$contactId');

export function GuestPage() {
  const { path } = useAccount();
  const { accountId, contactId } = route.useParams();
  const guest = useQuery(guestQuery(path, contactId));
  // The id of a merged contact redirects to the survivor.
  if (guest.data && guest.data.id !== contactId)
    return (
      <Navigate
        to="/accounts/$accountId/guests/$contactId"
        params={{ accountId, contactId: guest.data.id }}
        search={{}}
        replace
      />
    );
  if (guest.data) return <Guest guest={guest.data} />;
  return (
    <Frame title="Guest">
      {guest.error ? (
        <ErrorState error={guest.error} onRetry={guest.refetch} />
      ) : (
        <div className={classes.columns} aria-busy>
          <Skeleton height="6rem" className={classes.notes} />
          <Skeleton height="30rem" className={classes.side} />
          <Skeleton height="24rem" className={classes.timeline} />
        </div>
      )}
    </Frame>
  );
}

function Guest({ guest }: { guest: StaffContact }) {
  const mayWrite = useHasRole('staff');
  return (
    <Frame
      title={guestName(guest)}
      lead={
        <>
          Guest since <DateTime at={guest.created_at} dayOnly />
        </>
      }
      actions={
        mayWrite && (
          <Group gap="xs">
            <MergeGuest guest={guest} />
            <EraseGuest guest={guest} />
          </Group>
        )
      }
    >
      <Stack>
        <GuestSummary id={guest.id} />
        <div className={classes.columns}>
          <div className={classes.notes}>
            <GuestNotes id={guest.id} />
          </div>
          <Stack className={classes.side}>
            <GuestProfile guest={guest} />
            <GuestFigures id={guest.id} />
            <GuestSegments id={guest.id} />
            <GuestConsent guest={guest} />
            <GuestVenues guest={guest} />
            <GuestUdfs guest={guest} />
            <GuestVouchers id={guest.id} />
            <GuestMerges guest={guest} />
          </Stack>
          <div className={classes.timeline}>
            <Timeline id={guest.id} />
          </div>
        </div>
      </Stack>
    </Frame>
  );
}

interface FrameProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

function Frame(props: FrameProps) {
  return <Page breadcrumbs={[<GuestsLink key="guests" />]} {...props} />;
}
