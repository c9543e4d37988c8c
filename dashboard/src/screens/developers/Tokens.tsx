import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Token } from '#service/features/access/tokens/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { getList } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { DateTime, RelativeTime } from '../../ui/Values.tsx';
import { NewToken } from './NewToken.tsx';
import { TokenStatus } from './TokenStatus.tsx';

const route = getRouteApi('/guard/accounts/$accountId/developers/');

/** The personal access tokens. Each row leads to the token's page with its request log. */
export function Tokens() {
  const account = useAccount();
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  const tokens = useQuery(getList<Paged<Token>>(`${account.path}/tokens`, { page }));
  const [creating, create] = useDisclosure();
  return (
    <Panel
      title="Personal access tokens"
      lead="Create one for each till, platform or app, so that you can watch and revoke each separately."
      flush
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={create.open}>
          New token
        </Button>
      }
    >
      <DataTable
        label="Personal access tokens"
        rows={tokens.data?.data}
        error={tokens.error}
        onRetry={tokens.refetch}
        stale={tokens.isPlaceholderData}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({
          to: '/accounts/$accountId/developers/tokens/$tokenId',
          params: { accountId: account.id, tokenId: id },
        })}
        empty={
          <EmptyState title="No tokens yet" icon={<IconKey size={28} stroke={1.5} />}>
            A partner needs a token to write guests and redeem vouchers.
          </EmptyState>
        }
        columns={[
          { title: 'Name', render: ({ name }) => name },
          { title: 'Status', render: (token) => <TokenStatus token={token} /> },
          {
            title: 'Last used',
            render: ({ last_used_at }) =>
              last_used_at ? <RelativeTime at={last_used_at} timeZone={account.time_zone} /> : 'Never',
          },
          {
            title: 'Expires',
            render: ({ expires_at }) => (expires_at ? <DateTime at={expires_at} dayOnly /> : 'Never'),
          },
          { title: 'Created by', render: ({ created_by }) => created_by },
          { title: 'Created', render: ({ created_at }) => <DateTime at={created_at} dayOnly /> },
        ]}
      />
      <Pager
        of={tokens.data}
        onPage={(to) => void navigate({ search: { page: to === 1 ? undefined : to }, resetScroll: false })}
      />
      <NewToken opened={creating} onClose={create.close} />
    </Panel>
  );
}
