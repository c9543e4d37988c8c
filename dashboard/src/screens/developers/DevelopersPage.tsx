import { Stack } from '@mantine/core';
import { useHasRole } from '../../session/session.ts';
import { Page } from '../../ui/Page.tsx';
import { HowTo } from './HowTo.tsx';
import { Reference } from './Reference.tsx';
import { Tokens } from './Tokens.tsx';
import { TokensForOwners } from './TokensForOwners.tsx';

export function DevelopersPage() {
  const isOwner = useHasRole('owner');
  return (
    <Page title="Developers" lead="Connect tills, booking platforms, wifi portals and voucher apps to this account.">
      <Stack gap="lg">
        {isOwner ? <Tokens /> : <TokensForOwners />}
        <Reference />
        <HowTo />
      </Stack>
    </Page>
  );
}
