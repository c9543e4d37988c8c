import { Text } from '@mantine/core';
import type { Token } from '#service/features/access/tokens/schema.ts';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { formatRelative } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';

interface RevokeTokenProps {
  token: Token;
  opened: boolean;
  onClose: () => void;
}

export function RevokeToken({ token, opened, onClose }: RevokeTokenProps) {
  const { path } = useAccount();
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      action="Revoke token"
      danger
      onConfirm={async () => {
        await api.delete(`${path}/tokens/${token.id}`);
        await refresh(`${path}/tokens`);
        notify.success(`${token.name} is revoked.`);
      }}
    >
      <Text>
        The next request with this token gets a 401. The token{' '}
        {token.last_used_at ? `was last used ${formatRelative(token.last_used_at)}` : 'was never used'}. This can’t be
        undone. The data that it wrote and its request log stay.
      </Text>
    </Confirm>
  );
}
