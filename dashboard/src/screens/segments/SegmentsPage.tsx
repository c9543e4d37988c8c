import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Segment } from '#service/features/insight/segments/schema.ts';
import type { Channel } from '#service/shared/codes.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ShareBar } from '../../ui/ShareBar.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { Missing, Num } from '../../ui/Values.tsx';
import { NoSegments } from './NoSegments.tsx';
import { useNames } from './names.ts';
import { segmentsQuery } from './paths.ts';
import classes from './Segments.module.css';
import { sentenceOf } from './sentence.ts';
import { reachWords } from './words.ts';

const route = getRouteApi('/guard/accounts/$accountId/segments');

export function SegmentsPage() {
  const account = useAccount();
  const mayChange = useHasRole('staff');
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  const segments = useQuery(segmentsQuery(account, page));
  const nameOf = useNames((segments.data?.data ?? []).map(({ definition }) => definition));
  const columns: Column<Segment>[] = [
    { title: 'Segment', width: '14rem', render: ({ name }) => name },
    {
      title: 'Who is in it',
      render: ({ definition }) => <span className={classes.sentence}>{sentenceOf(definition, nameOf)}</span>,
    },
    { title: 'Guests', align: 'end', render: ({ count }) => <Num value={count} /> },
    ...(['email', 'sms'] as const).map(
      (channel): Column<Segment> => ({
        title: reachWords[channel],
        align: 'end',
        width: '9rem',
        render: (segment) => <Reach of={segment} channel={channel} />,
      }),
    ),
  ];
  return (
    <Page
      title="Segments"
      lead="A segment is a set of guests who fit your conditions. It is always up to date."
      actions={
        mayChange && (
          <ButtonLink
            to="/accounts/$accountId/segments/new"
            params={{ accountId: account.id }}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            New segment
          </ButtonLink>
        )
      }
    >
      <Panel flush>
        <DataTable
          label="Segments"
          columns={columns}
          rows={segments.data?.data}
          rowKey={({ id }) => id}
          rowLink={({ id }) => ({
            to: '/accounts/$accountId/segments/$segmentId',
            params: { accountId: account.id, segmentId: id },
          })}
          error={segments.error}
          onRetry={segments.refetch}
          stale={segments.isPlaceholderData}
          empty={page === undefined ? <NoSegments /> : <EmptyState title="There are no more segments" />}
        />
        <Pager
          of={segments.data}
          onPage={(to) => void navigate({ search: () => ({ page: to === 1 ? undefined : to }) })}
        />
      </Panel>
    </Page>
  );
}

function Reach({ of: { count, contactable }, channel }: { of: Segment; channel: Channel }) {
  return count === null || contactable === null ? <Missing /> : <ShareBar part={contactable[channel]} of={count} />;
}
