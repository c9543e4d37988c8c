import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../ui/CopyButton.tsx';

interface NewUserProps {
  email: string;
  password: string;
  onClose: () => void;
}

/** Shows the password once. The service stores only a hash and sends no mail. */
export function NewUser({ email, password, onClose }: NewUserProps) {
  const text = `${window.location.origin}\nE-mail: ${email}\nPassword: ${password}`;
  return (
    <Stack>
      <Text>
        {email} can sign in with this password. It is shown only once and is not sent by e-mail, so give it to them
        yourself.
      </Text>
      <Code block>{text}</Code>
      <Group justify="flex-end" gap="xs">
        <CopyButton value={text} what="sign-in" size="sm" />
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
