import { Badge } from '@mantine/core';
import type { Token } from '#service/features/access/tokens/schema.ts';

export const isGood = ({ revoked_at, expires_at }: Pick<Token, 'revoked_at' | 'expires_at'>) =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());

export function TokenStatus({ token }: { token: Pick<Token, 'revoked_at' | 'expires_at'> }) {
  if (token.revoked_at !== null) return <Badge color="red">Revoked</Badge>;
  return isGood(token) ? <Badge color="green">Active</Badge> : <Badge color="gray">Expired</Badge>;
}
