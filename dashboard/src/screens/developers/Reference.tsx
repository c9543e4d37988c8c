import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconBook2, IconFileCode } from '@tabler/icons-react';
import { useAccount } from '../../session/session.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { baseUrl } from './curl.ts';

/** The addresses that a partner needs. */
export function Reference() {
  const account = useAccount();
  return (
    <Panel
      title="API reference"
      lead="Every request with its fields and examples. You can try them there."
      actions={
        <Group gap="xs">
          <Button component="a" href="/docs" variant="default" leftSection={<IconBook2 size={16} aria-hidden />}>
            Open the reference
          </Button>
          <Button
            component="a"
            href="/openapi.json"
            variant="default"
            leftSection={<IconFileCode size={16} aria-hidden />}
          >
            openapi.json
          </Button>
        </Group>
      }
    >
      <Stack gap="xs">
        <Text>Give each partner these values and a token of their own:</Text>
        <Group gap="xs">
          <Text c="dimmed" w="6rem">
            Base URL
          </Text>
          <Code>{baseUrl}/v1</Code>
          <CopyButton value={`${baseUrl}/v1`} what="base URL" size="compact-xs" variant="subtle" />
        </Group>
        <Group gap="xs">
          <Text c="dimmed" w="6rem">
            Reference
          </Text>
          <Anchor href="/docs">{baseUrl}/docs</Anchor>
        </Group>
        <Group gap="xs">
          <Text c="dimmed" w="6rem">
            account_id
          </Text>
          <Code>{account.id}</Code>
        </Group>
      </Stack>
    </Panel>
  );
}
