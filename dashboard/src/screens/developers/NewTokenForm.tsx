import { Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CreatedToken } from '#service/features/access/tokens/schema.ts';
import type { User } from '#service/features/access/users/schema.ts';
import { api } from '../../api/client.ts';
import { getAll, refresh } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { daysLater, today } from '../../ui/format.ts';

interface NewTokenFormProps {
  onCreated: (token: CreatedToken) => void;
  onCancel: () => void;
}

const expiries = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'On a day…' },
];

export function NewTokenForm({ onCreated, onCancel }: NewTokenFormProps) {
  const account = useAccount();
  const users = useQuery(getAll<User>('/users'));
  const form = useServerForm({
    initialValues: { name: '', user_id: null as string | null, expiry: 'never', expires_at: '' },
    validate: {
      expires_at: (day, { expiry }) => (expiry === 'day' && day === '' ? 'Choose a day.' : null),
    },
    send: ({ name, user_id, expiry, expires_at }) => {
      const day =
        expiry === 'day' ? expires_at : expiry === 'never' ? null : daysLater(today(account.time_zone), Number(expiry));
      return api.post<CreatedToken>(`${account.path}/tokens`, {
        name,
        ...(user_id === null ? {} : { user_id: Number(user_id) }),
        // In the account's time zone.
        ...(day === null ? {} : { expires_at: `${day} 00:00:00` }),
      });
    },
    onDone: async (token) => {
      await refresh(`${account.path}/tokens`);
      onCreated(token);
    },
  });
  const usersWithAccess = (users.data ?? []).filter(
    ({ role, account_ids }) => role === 'owner' || account_ids.includes(account.id),
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Who will use it, and what for."
          placeholder="Till at The Anchor"
          required
          maxLength={255}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label="User (optional)"
          description="With a user, the token has access to all of the user’s accounts. Without, only to this account."
          placeholder="Only this account"
          data={usersWithAccess.map(({ id, email }) => ({ value: String(id), label: email }))}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the user' }}
          searchable
          {...form.getInputProps('user_id')}
        />
        <Select label="Expires" data={expiries} allowDeselect={false} {...form.getInputProps('expiry')} />
        {form.getValues().expiry === 'day' && (
          <TextInput
            label="Expires on"
            description={`At the start of that day, in ${account.time_zone}.`}
            type="date"
            min={daysLater(today(account.time_zone), 1)}
            required
            {...form.getInputProps('expires_at')}
          />
        )}
        <FormEnd form={form} onCancel={onCancel}>
          Create token
        </FormEnd>
      </Stack>
    </form>
  );
}
