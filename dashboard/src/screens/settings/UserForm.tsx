import { Button, Group, MultiSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import type { User } from '#service/features/access/users/schema.ts';
import type { Role } from '#service/shared/roles.ts';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useAccount, useSession } from '../../session/session.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { TextLink } from '../../ui/Page.tsx';
import { newPassword } from './password.ts';
import { roles } from './roles.ts';

interface UserFormProps {
  /** The user to change. Undefined: add a new one. */
  of: User | undefined;
  onClose: () => void;
  /** Called with the new password, if one was set. */
  onDone: (email: string, password: string) => void;
}

export function UserForm({ of, onClose, onDone }: UserFormProps) {
  const session = useSession();
  const here = useAccount();
  const isSelf = of?.id === session.user.id;
  const form = useServerForm({
    initialValues: {
      email: of?.email ?? '',
      role: (of?.role ?? 'staff') as Role,
      account_ids: (of?.account_ids ?? [here.id]).map(String),
      password: '',
    },
    send: (values, changed) => {
      const fields = of ? changed : values;
      const body = { ...fields, ...(fields.account_ids && { account_ids: fields.account_ids.map(Number) }) };
      return of ? api.patch(`/users/${of.id}`, body) : api.post('/users', body);
    },
    onDone: async (_result, { email, password }) => {
      // A change of the own user can change the visible pages.
      await refresh('/users', ...(isSelf ? ['/session'] : []));
      onDone(email, password);
    },
  });
  const { role, password } = form.getValues();
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="E-mail"
          type="email"
          required
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <Radio.Group label="Role" {...form.getInputProps('role')}>
          <Stack gap="xs" mt={4}>
            {Object.entries(roles).map(([value, { name, may }]) => (
              <Radio key={value} value={value} label={name} description={may} />
            ))}
          </Stack>
        </Radio.Group>
        {role !== 'owner' && (
          <MultiSelect
            label="Accounts"
            description="The accounts that the user can see and work in."
            data={session.accounts.map(({ id, name }) => ({ value: String(id), label: name }))}
            searchable
            {...form.getInputProps('account_ids')}
          />
        )}
        {isSelf ? (
          <Text size="sm" c="dimmed">
            Change your own password in your <TextLink to="/profile">profile</TextLink>.
          </Text>
        ) : (
          <div>
            <TextInput
              label={of ? 'New password (optional)' : 'Password'}
              description={
                of
                  ? 'Leave empty to keep the current password. A new password signs the user out everywhere.'
                  : 'At least 8 characters. The user can change it in their profile.'
              }
              required={!of}
              minLength={8}
              maxLength={1024}
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps('password')}
            />
            <Group gap="xs" mt="xs">
              <Button variant="default" size="xs" onClick={() => form.setFieldValue('password', newPassword())}>
                Generate
              </Button>
              {password && <CopyButton value={password} what="password" />}
            </Group>
          </div>
        )}
        <FormEnd form={form} onCancel={onClose} disabled={of !== undefined && !form.isDirty()}>
          {of ? 'Save' : 'Add user'}
        </FormEnd>
      </Stack>
    </form>
  );
}
