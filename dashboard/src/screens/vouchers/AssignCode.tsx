import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FoundContact } from '#service/features/guests/contacts/schema.ts';
import type { StaffCode } from '#service/features/vouchers/schema.ts';
import { api } from '../../api/client.ts';
import { useShowsError } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { notify } from '../../ui/notify.ts';
import { GuestSelect } from '../guests/GuestSelect.tsx';
import { refreshVouchers } from './paths.ts';

/** Assigns a code to a guest. */
export function AssignCode({ code, onClose }: { code: StaffCode; onClose: () => void }) {
  const account = useAccount();
  const [guest, setGuest] = useState<FoundContact | null>(null);
  const assigning = useMutation({
    mutationFn: () => {
      const { unique_code_group_id, unique_code } = code;
      return api.post<StaffCode>(`${account.path}/unique_codes/assign`, {
        unique_code_group_id,
        unique_code,
        contact_id: guest?.id,
      });
    },
    meta: useShowsError(),
    onSuccess: async ({ unique_code, contact_id, contact_name }) => {
      await refreshVouchers(account);
      notify.success(`${unique_code} is now assigned to ${contact_name ?? `guest ${contact_id}`}.`);
      onClose();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        assigning.mutate();
      }}
    >
      <Stack>
        <Text>
          <Code>{code.unique_code}</Code> is assigned to the guest. Purchases that wait for this code are matched to the
          guest too.
        </Text>
        <GuestSelect onPick={setGuest} />
        {assigning.error && (
          <Alert color="red" role="alert">
            {assigning.error.message}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!guest} loading={assigning.isPending}>
            Assign
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
