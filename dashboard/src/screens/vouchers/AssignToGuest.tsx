import { Alert, Button, Code, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FoundContact } from '#service/features/guests/contacts/schema.ts';
import type { AssignedCodes } from '#service/features/vouchers/schema.ts';
import { api } from '../../api/client.ts';
import { useShowsError } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { GuestSelect } from '../guests/GuestSelect.tsx';
import { refreshVouchers } from './paths.ts';

/** Assigns a free code to one guest and shows it. */
export function AssignToGuest({ path, onClose }: { path: string; onClose: () => void }) {
  const account = useAccount();
  const [guest, setGuest] = useState<FoundContact | null>(null);
  const assigning = useMutation({
    mutationFn: () => api.post<AssignedCodes>(`${path}/assign`, { contact_ids: [guest?.id] }),
    meta: useShowsError(),
    onSuccess: () => refreshVouchers(account),
  });
  const [code] = assigning.data?.data ?? [];
  if (code)
    return (
      <Stack>
        <Alert color="green" role="status">
          {code.contact_name ?? `Guest ${code.contact_id}`} {assigning.data?.assigned === 0 ? 'already had' : 'now has'}{' '}
          the code <Code>{code.unique_code}</Code>.
        </Alert>
        <Group justify="flex-end" gap="xs">
          <CopyButton value={code.unique_code} what="code" size="sm" />
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        assigning.mutate();
      }}
    >
      <Stack>
        <GuestSelect onPick={setGuest} />
        {assigning.error && (
          <Alert color="red" role="alert">
            {withoutFieldNames(assigning.error.message)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!guest} loading={assigning.isPending}>
            Assign a code
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The service's message names fields of the request. The screen shows it without them. */
export const withoutFieldNames = (message: string) =>
  message
    .replace(/^The (contact ids need|group id needs) 1 free codes/, 'This needs a free code')
    .replace(/^The (contact ids need|group id needs)/, 'This needs');
