import { Button, Skeleton, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconTicket } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { CodeGroup, CountedCodeGroup } from '#service/features/vouchers/group-schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { getList } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ShareBar } from '../../ui/ShareBar.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { DateTime, Num } from '../../ui/Values.tsx';
import { FindCode } from './FindCode.tsx';
import { NewGroup } from './NewGroup.tsx';
import { countedGroupsPath, groupsPath } from './paths.ts';

const route = getRouteApi('/guard/accounts/$accountId/vouchers');

/** A group, with its counts once they are loaded. */
type Row = CodeGroup & Partial<CountedCodeGroup>;

export function VouchersPage() {
  const account = useAccount();
  const mayChange = useHasRole('staff');
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  const counted = useQuery(getList<Paged<CountedCodeGroup>>(countedGroupsPath(account), { page }));
  // Counting millions of codes is slow, so the groups load first.
  const listed = useQuery(getList<Paged<CodeGroup>>(groupsPath(account), { page }));
  const groups = counted.data ? counted : listed;
  const [creating, create] = useDisclosure();
  const button = mayChange && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={create.open}>
      New group
    </Button>
  );
  return (
    <Page title="Vouchers" lead="Each group contains the codes of one campaign." actions={button}>
      <Stack gap="lg">
        <FindCode />
        <Panel title="Groups" flush>
          <DataTable
            label="Voucher groups"
            rows={groups.data?.data as Row[] | undefined}
            error={counted.error}
            onRetry={counted.refetch}
            stale={groups.isPlaceholderData}
            rowKey={({ id }) => id}
            rowLink={({ id }) => ({
              to: '/accounts/$accountId/vouchers/$groupId',
              params: { accountId: account.id, groupId: id },
            })}
            empty={
              <EmptyState title="No voucher groups yet" icon={<IconTicket size={28} stroke={1.5} />}>
                {mayChange
                  ? 'A group contains the codes of one campaign. Add one, then generate codes or import your own.'
                  : 'A group contains the codes of one campaign. Staff add groups here, partners through the API.'}
              </EmptyState>
            }
            columns={[
              { title: 'Group', render: ({ name }) => name },
              { title: 'Venue', render: ({ unit_name = <CountPlaceholder /> }) => unit_name },
              { title: 'Since', wideOnly: true, render: ({ created_at }) => <DateTime at={created_at} dayOnly /> },
              { title: 'Made', align: 'end', render: ({ made }) => <Count value={made} /> },
              { title: 'Assigned', align: 'end', render: ({ assigned }) => <Count value={assigned} /> },
              { title: 'Redeemed', align: 'end', render: ({ redeemed }) => <Count value={redeemed} /> },
              {
                title: 'Rate',
                align: 'end',
                width: '10rem',
                render: ({ made = 0, redeemed = 0 }) => <ShareBar part={redeemed} of={made} />,
              },
            ]}
          />
          <Pager
            of={groups.data}
            onPage={(to) => void navigate({ search: (search) => ({ ...search, page: to === 1 ? undefined : to }) })}
          />
        </Panel>
      </Stack>
      <NewGroup opened={creating} onClose={create.close} />
    </Page>
  );
}

function Count({ value }: { value: number | undefined }) {
  return value === undefined ? <CountPlaceholder /> : <Num value={value} />;
}

function CountPlaceholder() {
  return <Skeleton component="span" display="inline-block" height="0.75rem" width="3rem" />;
}
