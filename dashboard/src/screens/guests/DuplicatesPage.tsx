import { Skeleton, Stack } from '@mantine/core';
import { IconConfetti } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { useAccount } from '../../session/session.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { withCount } from '../../ui/format.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState, ErrorState } from '../../ui/States.tsx';
import { DuplicatePair } from './DuplicatePair.tsx';
import { GuestsLink } from './GuestsLink.tsx';
import { duplicatesQuery } from './queries.ts';

const route = getRouteApi('/guard/accounts/$accountId/duplicates');

export function DuplicatesPage() {
  const { id: accountId, path } = useAccount();
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const pairs = useQuery(duplicatesQuery(path, page));
  const isPast = !pairs.isPlaceholderData && pairs.data?.data.length === 0 && page > 1;
  return (
    <Page
      title="Possible duplicates"
      lead={
        pairs.data?.total
          ? `Guests who share a phone number but have different e-mails: ${withCount(pairs.data.total, 'pair')}.`
          : undefined
      }
      breadcrumbs={[<GuestsLink key="guests" />]}
    >
      {pairs.error && !pairs.data && <ErrorState error={pairs.error} onRetry={pairs.refetch} />}
      {pairs.isPending && (
        <Stack aria-busy>
          <Skeleton height="16rem" />
          <Skeleton height="16rem" />
        </Stack>
      )}
      {/* The last pair of the last page is resolved. */}
      {isPast && <Navigate from="/accounts/$accountId/duplicates" to="." search={{}} replace />}
      {pairs.data?.total === 0 && (
        <Panel>
          <EmptyState
            title="No possible duplicates"
            icon={<IconConfetti size={28} stroke={1.5} />}
            action={
              <ButtonLink to="/accounts/$accountId/guests" params={{ accountId }} variant="default">
                Back to guests
              </ButtonLink>
            }
          >
            A pair appears here when a guest has the phone number of another guest but a different e-mail.
          </EmptyState>
        </Panel>
      )}
      <Stack aria-busy={pairs.isPlaceholderData}>
        {pairs.data?.data.map((pair) => (
          <DuplicatePair key={pair.id} pair={pair} />
        ))}
      </Stack>
      <Pager of={pairs.data} onPage={(to) => void navigate({ search: { page: to === 1 ? undefined : to } })} />
    </Page>
  );
}
