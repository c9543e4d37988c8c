import { Stack } from '@mantine/core';
import { useMay } from '../session/session.ts';
import { Page } from '../ui/Page.tsx';
import { HowTo } from './HowTo.tsx';
import { OwnersTokens } from './OwnersTokens.tsx';
import { Reference } from './Reference.tsx';
import { Tokens } from './Tokens.tsx';

export function DevelopersPage() {
  const isOwner = useMay('owner');
  return (
    <Page title="Developers" lead="Connect tills, booking platforms, wifi portals and voucher apps to this account.">
      <Stack gap="lg">
        {isOwner ? <Tokens /> : <OwnersTokens />}
        <Reference />
        <HowTo />
      </Stack>
    </Page>
  );
}
