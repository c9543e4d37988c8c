import { PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { Session } from '#service/features/access/sign-in/schema.ts';
import { ApiError, api } from '../api/client.ts';
import mark from '../shell/mark.svg';
import { FormEnd, useServerForm } from '../ui/form.tsx';
import { drafts } from './drafts.ts';
import { notifyOtherTabs } from './other-tabs.ts';
import classes from './SignInPage.module.css';
import { sessionQuery } from './session.ts';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  useDocumentTitle('Sign in · Regulars');
  const { next } = route.useSearch();
  const { history } = useRouter();
  const queries = useQueryClient();
  const form = useServerForm({
    initialValues: { email: '', password: '' },
    send: (values) =>
      api.post<Session>('/session', values).catch((error: ApiError) => {
        throw error.status === 401 ? new ApiError(401, 'Wrong e-mail or password.') : error;
      }),
    onDone: (session) => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, session);
      notifyOtherTabs(session.user.id);
      drafts.clear(session.user.id);
      history.push(safePath(next));
    },
  });
  return (
    <main className={classes.page}>
      <div className={classes.box}>
        <img src={mark} alt="" width={36} height={36} />
        <Title order={1} mt="md" mb={4}>
          Sign in to Regulars
        </Title>
        <Text c="dimmed" mb="lg">
          Use the e-mail and password that an owner gave you.
        </Text>
        <form onSubmit={form.submit}>
          <Stack>
            <TextInput
              label="E-mail"
              type="email"
              name="email"
              autoComplete="username"
              required
              autoFocus
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              required
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
              {...form.getInputProps('password')}
            />
            <FormEnd form={form} fullWidth>
              Sign in
            </FormEnd>
          </Stack>
        </form>
      </div>
    </main>
  );
}

/** Allows only paths of this dashboard. A URL of another site, in any notation, leads to the start page instead. */
function safePath(next: string | undefined): string {
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}
