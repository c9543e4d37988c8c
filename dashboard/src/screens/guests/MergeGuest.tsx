import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import { useAccount } from '../../session/session.ts';
import { MergeConfirm, type Side } from './MergeConfirm.tsx';

/** Merges this guest with another one that the user chooses. */
export function MergeGuest({ guest }: { guest: StaffContact }) {
  const { id: accountId } = useAccount();
  const navigate = useNavigate();
  const [opened, setOpened] = useState(false);
  const [otherId, setOtherId] = useState<number>();
  const [stays, setStays] = useState<Side>('left');
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setOtherId(undefined);
          setStays('left');
          setOpened(true);
        }}
      >
        Merge
      </Button>
      <MergeConfirm
        opened={opened}
        onClose={() => setOpened(false)}
        leftId={guest.id}
        rightId={otherId}
        onRight={setOtherId}
        stays={stays}
        onStays={setStays}
        onMerged={(id) =>
          navigate({ to: '/accounts/$accountId/guests/$contactId', params: { accountId, contactId: id }, search: {} })
        }
      />
    </>
  );
}
