import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Token } from '#service/features/access/tokens/schema.ts';
import { api } from '../../api/client.ts';
import { get, refresh } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { Page, TextLink } from '../../ui/Page.tsx';
import { Rename } from '../../ui/Rename.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { RequestLog } from './RequestLog.tsx';
import { RevokeToken } from './RevokeToken.tsx';
import { TokenFacts } from './TokenFacts.tsx';
import { isGood, TokenStatus } from './TokenStatus.tsx';
import { TokensForOwners } from './TokensForOwners.tsx';

const route = getRouteApi('/guard/accounts/$accountId/developers/tokens/$tokenId');

export function TokenPage() {
  const { id: accountId } = useAccount();
  const isOwner = useHasRole('owner');
  const breadcrumbs = [
    <TextLink key="developers" to="/accounts/$accountId/developers" params={{ accountId }}>
      Developers
    </TextLink>,
  ];
  if (isOwner) return <OneToken breadcrumbs={breadcrumbs} />;
  return (
    <Page title="Personal access token" breadcrumbs={breadcrumbs}>
      <TokensForOwners />
    </Page>
  );
}

function OneToken({ breadcrumbs }: { breadcrumbs: ReactNode[] }) {
  const account = useAccount();
  const { tokenId } = route.useParams();
  const path = `${account.path}/tokens/${tokenId}`;
  // The time of the last use changes while the page is open.
  const token = useQuery({ ...get<Token>(path), refetchInterval: 5000 });
  const [renaming, rename] = useDisclosure();
  const [revoking, revoke] = useDisclosure();
  if (token.error && !token.data)
    return (
      <Page title="Personal access token" breadcrumbs={breadcrumbs}>
        <ErrorState error={token.error} onRetry={token.refetch} />
      </Page>
    );
  return (
    <Page
      title={token.data?.name ?? 'Personal access token'}
      beside={token.data && <TokenStatus token={token.data} />}
      breadcrumbs={breadcrumbs}
      actions={
        token.data && (
          <>
            <Button variant="default" onClick={rename.open}>
              Rename
            </Button>
            {isGood(token.data) && (
              <Button variant="default" c="var(--mantine-color-error)" onClick={revoke.open}>
                Revoke
              </Button>
            )}
          </>
        )
      }
    >
      <Stack gap="lg">
        <TokenFacts token={token.data} />
        <RequestLog key={tokenId} path={path} />
      </Stack>
      {token.data && (
        <>
          <Rename
            what="token"
            name={token.data.name}
            opened={renaming}
            onClose={rename.close}
            onRename={async (name) => {
              await api.patch(path, { name });
              await refresh(`${account.path}/tokens`);
            }}
          />
          <RevokeToken token={token.data} opened={revoking} onClose={revoke.close} />
        </>
      )}
    </Page>
  );
}
