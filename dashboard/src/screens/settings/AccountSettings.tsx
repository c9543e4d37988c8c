import { Stack } from '@mantine/core';
import { useAccount, useHasRole } from '../../session/session.ts';
import { Page } from '../../ui/Page.tsx';
import { AccountForm } from './AccountForm.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';

export function AccountSettings() {
  const account = useAccount();
  const isOwner = useHasRole('owner');
  return (
    <Page title="Account" lead="The name and time zone of your group." narrow>
      <Stack gap="lg">
        <AccountForm key={account.id} />
        {isOwner && <DeleteAccount />}
      </Stack>
    </Page>
  );
}
