import { Badge, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { OpenSession } from '#service/features/access/sessions/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { api } from '../../api/client.ts';
import { get, refresh } from '../../api/queries.ts';
import { useSession } from '../../session/session.ts';
import { signOut } from '../../session/sign-out.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { Page } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { RelativeTime } from '../../ui/Values.tsx';
import { browserName } from './browser-name.ts';

export function ProfilePage() {
  const { user } = useSession();
  return (
    <Page title="Profile" lead={`${user.email}, ${user.role}`} narrow>
      <Stack gap="lg">
        <Password email={user.email} />
        <Sessions />
      </Stack>
    </Page>
  );
}

function Password({ email }: { email: string }) {
  const form = useServerForm({
    initialValues: { current_password: '', new_password: '', again: '' },
    validate: {
      again: (again, { new_password }) => (again === new_password ? null : 'The new passwords do not match.'),
    },
    send: ({ current_password, new_password }) => api.post('/session/password', { current_password, new_password }),
    onDone: () => {
      form.restart();
      notify.success('Your password is changed.');
      return refresh('/sessions');
    },
  });
  const show = { visibilityToggleButtonProps: { 'aria-label': 'Show the password' } };
  return (
    <Panel title="Password">
      <form onSubmit={form.submit}>
        <Stack maw="22rem">
          {/* The user name for password managers. */}
          <input hidden name="username" autoComplete="username" value={email} readOnly />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            {...show}
            {...form.getInputProps('current_password')}
          />
          <PasswordInput
            label="New password"
            description="At least 8 characters. You stay signed in here and are signed out everywhere else."
            autoComplete="new-password"
            required
            minLength={8}
            {...show}
            {...form.getInputProps('new_password')}
          />
          <PasswordInput
            label="Repeat the new password"
            autoComplete="new-password"
            required
            {...show}
            {...form.getInputProps('again')}
          />
          <FormEnd form={form}>Change password</FormEnd>
        </Stack>
      </form>
    </Panel>
  );
}

function Sessions() {
  const sessions = useQuery(get<Paged<OpenSession>>('/sessions'));
  const [asked, ask] = useDisclosure();
  return (
    <Panel
      title="Where you are signed in"
      flush
      actions={
        <Button variant="default" size="xs" onClick={ask.open}>
          Sign out everywhere
        </Button>
      }
    >
      <DataTable
        label="Where you are signed in"
        rows={sessions.data?.data}
        error={sessions.error}
        onRetry={sessions.refetch}
        rowKey={({ id }) => id}
        empty={<EmptyState title="Nowhere" />}
        columns={[
          {
            title: 'Browser',
            render: ({ user_agent, is_current }) => (
              <Group gap="xs">
                <span title={user_agent}>{browserName(user_agent)}</span>
                {is_current && <Badge>This browser</Badge>}
              </Group>
            ),
          },
          { title: 'Address', render: ({ address }) => address },
          { title: 'Signed in', render: ({ created_at }) => <RelativeTime at={created_at} /> },
          { title: 'Last used', render: ({ last_seen_at }) => <RelativeTime at={last_seen_at} /> },
        ]}
      />
      <Confirm
        opened={asked}
        onClose={ask.close}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={() => signOut({ everywhere: true })}
      >
        <Text>You must sign in again in every browser, including this one. Personal access tokens keep working.</Text>
      </Confirm>
    </Panel>
  );
}
