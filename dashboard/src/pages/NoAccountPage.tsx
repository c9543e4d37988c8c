import { Code } from '@mantine/core';
import { Page } from '../ui/Page.tsx';
import { EmptyState } from '../ui/States.tsx';

/** For somebody to whom no account was given, or before there is any. */
export function NoAccountPage() {
  return (
    <Page title="Welcome">
      <EmptyState title="There is no account for you to work in yet">
        Ask an owner to give you access to one. Where there is none at all, <Code>npx regulars account create</Code>{' '}
        makes the first; then load this page again.
      </EmptyState>
    </Page>
  );
}
