import { Button, Menu, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCopy, IconDots, IconDownload, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { FoundContact } from '#service/features/guests/contacts/schema.ts';
import type { Segment } from '#service/features/insight/segments/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { adminUrl } from '../../api/client.ts';
import { getList } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { Page, TextLink } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState, ErrorState } from '../../ui/States.tsx';
import { guestColumns } from '../guests/guest-columns.tsx';
import { DeleteSegment } from './DeleteSegment.tsx';
import { useNames } from './names.ts';
import { segmentPath, segmentQuery } from './paths.ts';
import { SegmentActions } from './SegmentActions.tsx';
import { SegmentFigures } from './SegmentFigures.tsx';
import { SegmentTrend } from './SegmentTrend.tsx';
import { sentenceOf } from './sentence.ts';

const route = getRouteApi('/guard/accounts/$accountId/segments/$segmentId');

export function SegmentPage() {
  const account = useAccount();
  const { segmentId } = route.useParams();
  const segment = useQuery(segmentQuery(account, segmentId));
  const nameOf = useNames(segment.data ? [segment.data.definition] : []);
  const breadcrumbs = [
    <TextLink key="segments" to="/accounts/$accountId/segments" params={{ accountId: account.id }}>
      Segments
    </TextLink>,
  ];
  if (segment.error && !segment.data)
    return (
      <Page title="Segment" breadcrumbs={breadcrumbs}>
        <ErrorState error={segment.error} onRetry={segment.refetch} />
      </Page>
    );
  return (
    <Page
      title={segment.data?.name ?? 'Segment'}
      lead={segment.data ? sentenceOf(segment.data.definition, nameOf) : '\u00a0'}
      breadcrumbs={breadcrumbs}
      actions={segment.data && <Actions of={segment.data} />}
    >
      <Stack gap="lg">
        <SegmentFigures of={segment.data} />
        <SegmentTrend segmentId={segmentId} />
        {segment.data && <SegmentActions segment={segment.data} />}
        <Members segmentId={segmentId} />
      </Stack>
    </Page>
  );
}

function Actions({ of: segment }: { of: Segment }) {
  const account = useAccount();
  const mayChange = useHasRole('staff');
  const [deleting, remove] = useDisclosure();
  const params = { accountId: account.id };
  return (
    <>
      {mayChange && (
        <ButtonLink
          to="/accounts/$accountId/segments/$segmentId/edit"
          params={{ ...params, segmentId: segment.id }}
          leftSection={<IconPencil size={16} aria-hidden />}
        >
          Edit
        </ButtonLink>
      )}
      <Button
        component="a"
        href={adminUrl(`${segmentPath(account, segment.id)}/contacts`, { format: 'csv' })}
        download={`${segment.name}.csv`}
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        Export CSV
      </Button>
      {mayChange && (
        <>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" px="xs" aria-label="More">
                <IconDots size={16} aria-hidden />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <DuplicateItem id={segment.id} />
              <Menu.Item c="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={remove.open}>
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <DeleteSegment segment={segment} opened={deleting} onClose={remove.close} />
        </>
      )}
    </>
  );
}

function DuplicateItem({ id }: { id: number }) {
  const { id: accountId } = useAccount();
  const navigate = route.useNavigate();
  return (
    <Menu.Item
      leftSection={<IconCopy size={16} aria-hidden />}
      onClick={() =>
        void navigate({ to: '/accounts/$accountId/segments/new', params: { accountId }, search: { copy_of: id } })
      }
    >
      Duplicate
    </Menu.Item>
  );
}

/** The guests in the segment, newest first. */
function Members({ segmentId }: { segmentId: number }) {
  const account = useAccount();
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  const members = useQuery(getList<Paged<FoundContact>>(`${segmentPath(account, segmentId)}/contacts`, { page }));
  return (
    <Panel title="Guests" flush>
      <DataTable
        label="Guests"
        columns={guestColumns}
        rows={members.data?.data}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({
          to: '/accounts/$accountId/guests/$contactId',
          params: { accountId: account.id, contactId: id },
        })}
        error={members.error}
        onRetry={members.refetch}
        stale={members.isPlaceholderData}
        empty={
          <EmptyState title={page === undefined ? 'No guests in this segment' : 'There are no more guests'}>
            {page === undefined && 'Guests appear here as soon as they fit the conditions.'}
          </EmptyState>
        }
      />
      <Pager
        of={members.data}
        onPage={(to) => void navigate({ search: () => ({ page: to === 1 ? undefined : to }) })}
      />
    </Panel>
  );
}
