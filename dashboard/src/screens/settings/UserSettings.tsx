import { Badge, Button, Group, Menu, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { User } from '#service/features/access/users/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { api } from '../../api/client.ts';
import { getList, refresh } from '../../api/queries.ts';
import { useHasRole, useSession } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { withCount } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { useWindow } from '../../ui/window.ts';
import { NewUser } from './NewUser.tsx';
import { OwnersOnly } from './OwnersOnly.tsx';
import { roles } from './roles.ts';
import { UserForm } from './UserForm.tsx';

const route = getRouteApi('/guard/accounts/$accountId/settings/users');

export function UserSettings() {
  return useHasRole('owner') ? <Users /> : <OwnersOnly title="Users" />;
}

function Users() {
  const { user: self, accounts } = useSession();
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  const users = useQuery(getList<Paged<User>>('/users', { page }));
  const editing = useWindow<User | undefined>();
  const created = useWindow<{ email: string; password: string }>();
  const deleting = useWindow<User>();
  const namesOf = (ids: number[]) => accounts.filter(({ id }) => ids.includes(id)).map(({ name }) => name);

  return (
    <Page
      title="Users"
      lead="The people who can sign in to the dashboard, in all accounts, and their roles."
      actions={<Button onClick={() => editing.open(undefined)}>New user</Button>}
    >
      <Panel flush>
        <DataTable
          label="Users"
          rows={users.data?.data}
          rowKey={({ id }) => id}
          error={users.error}
          onRetry={users.refetch}
          stale={users.isPlaceholderData}
          empty={<EmptyState title="No users on this page" />}
          columns={[
            {
              title: 'E-mail',
              render: ({ id, email }) => (
                <Group gap="xs">
                  {email}
                  {id === self.id && <Badge>You</Badge>}
                </Group>
              ),
            },
            { title: 'Role', width: '6rem', render: ({ role }) => roles[role].name },
            {
              title: 'Accounts',
              render: ({ role, account_ids }) => {
                if (role === 'owner') return 'All';
                const names = namesOf(account_ids);
                const text = names.length > 3 ? withCount(account_ids.length, 'account') : names.join(', ');
                return <span title={names.join(', ')}>{text || 'None'}</span>;
              },
            },
            {
              title: 'Actions',
              isActions: true,
              width: '3rem',
              render: (user) => (
                <RowMenu of={user.email}>
                  <Menu.Item onClick={() => editing.open(user)}>Change</Menu.Item>
                  <Menu.Item c="red" onClick={() => deleting.open(user)}>
                    Delete
                  </Menu.Item>
                </RowMenu>
              ),
            },
          ]}
        />
        <Pager of={users.data} onPage={(page) => void navigate({ search: { page } })} />
      </Panel>
      <Modal
        opened={editing.opened}
        onClose={editing.close}
        title={editing.subject ? `Change ${editing.subject.email}` : 'New user'}
      >
        <UserForm
          of={editing.subject}
          onClose={editing.close}
          onDone={(email, password) => {
            editing.close();
            if (password) created.open({ email, password });
            else notify.success(`${email} is changed.`);
          }}
        />
      </Modal>
      <Modal opened={created.opened} onClose={created.close} title="Give this to the user">
        {created.subject && <NewUser {...created.subject} onClose={created.close} />}
      </Modal>
      <Confirm
        opened={deleting.opened}
        onClose={deleting.close}
        title={`Delete ${deleting.subject?.email}?`}
        action="Delete user"
        danger
        onConfirm={async () => {
          await api.delete(`/users/${deleting.subject?.id}`);
          notify.success(`${deleting.subject?.email} is deleted.`);
          await refresh('/users');
        }}
      >
        <Text>
          {deleting.subject?.id === self.id
            ? 'This is you. You are signed out at once and can’t sign in again. '
            : 'They are signed out at once and can’t sign in again. '}
          Their personal access tokens stop working. Their changes stay in the audit trail.
        </Text>
      </Confirm>
    </Page>
  );
}
