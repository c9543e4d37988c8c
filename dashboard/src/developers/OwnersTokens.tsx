import { Group, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Panel } from '../ui/Panel.tsx';

/** What stands in place of the tokens for everybody but owners. */
export function OwnersTokens() {
  return (
    <Panel title="Personal access tokens">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <IconLock size={20} stroke={1.5} aria-hidden style={{ flex: 'none' }} />
        <Text maw="42rem">
          A token can write guests and redeem vouchers, so only owners make them, watch them and revoke them. Ask an
          owner for one; the API reference and the examples are for everybody.
        </Text>
      </Group>
    </Panel>
  );
}
