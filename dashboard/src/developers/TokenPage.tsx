import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Paged } from '#service/shared/fields.ts';
import type { Token } from '#service/tokens/schema.ts';
import type { User } from '#service/users/schema.ts';
import { get } from '../api/queries.ts';
import { useAccount, useMay } from '../session/session.ts';
import { Page, TextLink } from '../ui/Page.tsx';
import { Stat, Stats } from '../ui/Stat.tsx';
import { ErrorState } from '../ui/States.tsx';
import { DateTime, RelativeTime } from '../ui/Values.tsx';
import { NotYours } from './DevelopersPage.tsx';
import { RenameToken } from './RenameToken.tsx';
import { RequestLog } from './RequestLog.tsx';
import { RevokeToken } from './RevokeToken.tsx';
import { isGood, TokenStatus } from './TokenStatus.tsx';

const route = getRouteApi('/guard/accounts/$accountId/developers/tokens/$tokenId');

export function TokenPage() {
  const { id: accountId } = useAccount();
  const isOwner = useMay('owner');
  const breadcrumbs = [
    <TextLink key="developers" to="/accounts/$accountId/developers" params={{ accountId }}>
      Developers
    </TextLink>,
  ];
  if (isOwner) return <OneToken breadcrumbs={breadcrumbs} />;
  return (
    <Page title="Personal access token" breadcrumbs={breadcrumbs}>
      <NotYours />
    </Page>
  );
}

function OneToken({ breadcrumbs }: { breadcrumbs: React.ReactNode[] }) {
  const account = useAccount();
  const { tokenId } = route.useParams();
  const path = `${account.path}/tokens/${tokenId}`;
  const token = useQuery(get<Token>(path));
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
        <Facts token={token.data} />
        <RequestLog key={tokenId} path={path} />
      </Stack>
      {token.data && (
        <>
          <RenameToken token={token.data} opened={renaming} onClose={rename.close} />
          <RevokeToken token={token.data} opened={revoking} onClose={revoke.close} />
        </>
      )}
    </Page>
  );
}

function Facts({ token }: { token: Token | undefined }) {
  const account = useAccount();
  const users = useQuery(get<Paged<User>>('/users'));
  const user = users.data?.data.find(({ id }) => id === token?.user_id);
  const loading = !token;
  const ended = token?.revoked_at ?? token?.expires_at;
  return (
    <Stats>
      <Stat
        label="Last used"
        value={token?.last_used_at ? <RelativeTime at={token.last_used_at} timeZone={account.time_zone} /> : 'Never'}
        loading={loading}
      />
      <Stat
        label={token?.revoked_at ? 'Revoked' : 'Expires'}
        value={ended ? <DateTime at={ended} dayOnly /> : 'Never'}
        loading={loading}
      />
      <Stat
        label="Created"
        value={<DateTime at={token?.created_at} dayOnly />}
        note={token && `by ${token.created_by}`}
        loading={loading}
      />
      <Stat
        label="Reaches"
        value={token?.user_id ? 'All of a user’s accounts' : 'This account alone'}
        note={token?.user_id ? (user?.email ?? `user ${token.user_id}`) : undefined}
        loading={loading}
      />
    </Stats>
  );
}
