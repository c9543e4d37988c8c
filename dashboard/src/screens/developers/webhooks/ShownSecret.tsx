import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { CodeBlock } from '../CodeBlock.tsx';
import { VerifyCode } from './VerifyCode.tsx';

interface ShownSecretProps {
  secret: string;
  onClose: () => void;
}

/** A new secret, which is shown this once, and how the receiver uses it. */
export function ShownSecret({ secret, onClose }: ShownSecretProps) {
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
        Copy the secret now and store it safely. It is not shown again. Anyone who has it can send false events to the
        other system.
      </Alert>
      <CodeBlock what="secret" title="Secret of the webhook" wrap>
        {secret}
      </CodeBlock>
      <div>
        <Title order={3}>Check the signature</Title>
        <Text size="sm" c="dimmed" mb="sm">
          Every request is signed with the secret, by the Standard Webhooks specification. The receiver must check the
          signature before it trusts the event. Set WEBHOOK_SECRET to the secret above.
        </Text>
        <VerifyCode />
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done, I have copied it</Button>
      </Group>
    </Stack>
  );
}
