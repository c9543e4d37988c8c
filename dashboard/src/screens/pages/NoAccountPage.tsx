import { Code } from '@mantine/core';
import { Page } from '../../ui/Page.tsx';
import { EmptyState } from '../../ui/States.tsx';

/** For a user without accounts, or before the first account exists. */
export function NoAccountPage() {
  return (
    <Page title="Welcome">
      <EmptyState title="You have no account yet">
        Ask an owner to give you access to an account. If there is none yet, create the first one with{' '}
        <Code>npx regulars account create</Code> and reload this page.
      </EmptyState>
    </Page>
  );
}
