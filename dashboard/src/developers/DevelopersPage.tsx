import { Stack } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useMay } from '../session/session.ts';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { EmptyState } from '../ui/States.tsx';
import { HowTo } from './HowTo.tsx';
import { Reference } from './Reference.tsx';
import { Tokens } from './Tokens.tsx';

export function DevelopersPage() {
  const isOwner = useMay('owner');
  return (
    <Page title="Developers" lead="How tills, booking platforms, wifi portals and voucher apps reach this account.">
      <Stack gap="lg">
        {isOwner ? <Tokens /> : <NotYours />}
        <Reference />
        <HowTo />
      </Stack>
    </Page>
  );
}

/** What stands in place of the tokens for everybody but owners. */
export function NotYours() {
  return (
    <Panel title="Personal access tokens">
      <EmptyState title="Tokens are for owners" icon={<IconLock size={28} stroke={1.5} />}>
        A token can write guests and redeem vouchers, so only owners make and revoke them. Ask an owner for one; all
        else that a partner needs is below.
      </EmptyState>
    </Panel>
  );
}
