import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAccount } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { Panel } from '../../ui/Panel.tsx';

/** Deletes the account, after a confirmation. For owners only. */
export function DeleteAccount() {
  const { name, path } = useAccount();
  const [asked, ask] = useDisclosure();
  const [typed, setTyped] = useState('');
  function close() {
    setTyped('');
    ask.close();
  }
  async function remove() {
    await api.delete(path);
    // All cached data can belong to the account, so the app reloads.
    window.location.assign('/');
  }
  return (
    <Panel title="Delete this account">
      <Group justify="space-between">
        <Text c="dimmed" maw="28rem">
          This also deletes its venues, guests, vouchers, tokens and all recorded data.
        </Text>
        <Button variant="outline" color="red" onClick={ask.open}>
          Delete account
        </Button>
      </Group>
      <Confirm
        opened={asked}
        onClose={close}
        title={`Delete ${name}?`}
        action="Delete account"
        danger
        disabled={typed.trim() !== name}
        onConfirm={remove}
      >
        <Stack gap="sm">
          <Text>
            This deletes all guests and their activity, the venues, vouchers, lists and tokens. It can’t be undone.
            Requests of partners are then rejected. The users and the audit trail stay.
          </Text>
          <TextInput
            label={`Type ${name} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        </Stack>
      </Confirm>
    </Panel>
  );
}
