import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Token } from '#service/features/access/tokens/schema.ts';
import type { User } from '#service/features/access/users/schema.ts';
import { getAll } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { DateTime, RelativeTime } from '../../ui/Values.tsx';
import classes from './TokenFacts.module.css';

/** The details of a token. */
export function TokenFacts({ token }: { token: Token | undefined }) {
  const account = useAccount();
  const users = useQuery(getAll<User>('/users'));
  const user = users.data?.find(({ id }) => id === token?.user_id);
  return (
    <dl className={classes.facts}>
      <Fact label="Last used">
        {token &&
          (token.last_used_at ? <RelativeTime at={token.last_used_at} timeZone={account.time_zone} /> : 'Never')}
      </Fact>
      <Fact label={token?.revoked_at ? 'Revoked' : 'Expires'}>
        {token && <Ended at={token.revoked_at ?? token.expires_at} />}
      </Fact>
      <Fact label="Created">{token && <DateTime at={token.created_at} dayOnly />}</Fact>
      <Fact label="Created by">{token?.created_by}</Fact>
      <Fact label="Reaches">
        {token &&
          (token.user_id === null ? 'Only this account' : `The accounts of ${user?.email ?? `user ${token.user_id}`}`)}
      </Fact>
    </dl>
  );
}

function Ended({ at }: { at: string | null }) {
  return at === null ? 'Never' : <DateTime at={at} />;
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <dd>{children ?? <Skeleton height="0.75rem" my="0.25rem" width="60%" />}</dd>
    </div>
  );
}
