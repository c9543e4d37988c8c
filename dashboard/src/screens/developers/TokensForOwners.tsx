import { Group, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Panel } from '../../ui/Panel.tsx';

/** Shown instead of the tokens to users who are not owners. */
export function TokensForOwners() {
  return (
    <Panel title="Personal access tokens">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <IconLock size={20} stroke={1.5} aria-hidden style={{ flex: 'none' }} />
        <Text maw="42rem">
          A token can write guests and redeem vouchers, so only owners create, see and revoke tokens. Ask an owner for
          one. The API reference and the examples are open to everyone.
        </Text>
      </Group>
    </Panel>
  );
}
