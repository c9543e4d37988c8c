import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { useAccount } from '../session/session.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { Panel } from '../ui/Panel.tsx';

/** For owners; nothing brings an account back. */
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
    // Everything on the screen was about it, so all is begun anew.
    window.location.assign('/');
  }
  return (
    <Panel title="Delete this account">
      <Group justify="space-between">
        <Text c="dimmed" maw="28rem">
          Its venues, guests, vouchers, tokens and all that was recorded go with it.
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
            All guests with everything they did, the venues, vouchers, lists and tokens are deleted at once and for
            good. Partners’ requests are refused from then on. The users stay, without this account; so does the audit
            trail.
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
