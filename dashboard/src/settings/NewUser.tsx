import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../ui/CopyButton.tsx';

interface NewUserProps {
  email: string;
  password: string;
  onClose: () => void;
}

/** The password, this once: the service keeps none that could be shown, and sends no mail. */
export function NewUser({ email, password, onClose }: NewUserProps) {
  const text = `${window.location.origin}\nE-mail: ${email}\nPassword: ${password}`;
  return (
    <Stack>
      <Text>
        {email} can sign in with this password. It is shown this once and sent to nobody, so hand it over yourself.
      </Text>
      <Code block>{text}</Code>
      <Group justify="flex-end" gap="xs">
        <CopyButton value={text} what="sign-in" size="sm" />
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
