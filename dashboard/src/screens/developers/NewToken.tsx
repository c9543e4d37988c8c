import { Alert, Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { CreatedToken } from '#service/features/access/tokens/schema.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { NewTokenForm } from './NewTokenForm.tsx';
import { TryIt } from './TryIt.tsx';

interface NewTokenProps {
  opened: boolean;
  onClose: () => void;
}

/** Creates a token, then shows it once. */
export function NewToken({ opened, onClose }: NewTokenProps) {
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const isPhone = useMediaQuery('(max-width: 48em)');
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={created ? `The token for ${created.name}` : 'New token'}
      size={created ? 'lg' : 'md'}
      fullScreen={created !== null && isPhone}
      // The token is never shown again, so a stray click must not close the window.
      closeOnClickOutside={created === null}
      closeOnEscape={created === null}
      onExitTransitionEnd={() => setCreated(null)}
    >
      {created ? (
        <Shown created={created} onClose={onClose} />
      ) : (
        <NewTokenForm onCreated={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}

function Shown({ created, onClose }: { created: CreatedToken; onClose: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
        Copy the token now and store it safely. It is not shown again, because only its hash is stored.
      </Alert>
      <CodeBlock what="token" title="Personal access token" wrap>
        {created.token}
      </CodeBlock>
      <div>
        <Title order={3}>Try it</Title>
        <Text size="sm" c="dimmed" mb="sm">
          Send a first request with it, from a terminal or from here.
        </Text>
        <TryIt token={created.token} />
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done, I have copied it</Button>
      </Group>
    </Stack>
  );
}
