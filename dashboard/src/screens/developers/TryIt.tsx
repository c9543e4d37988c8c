import { Alert, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useShowsError } from '../../api/queries.ts';
import { useAccount, useSession } from '../../session/session.ts';
import { formatNumber } from '../../ui/format.ts';
import { TextLink } from '../../ui/Page.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { curl, type PartnerRequest } from './curl.ts';
import { StatusBadge } from './StatusBadge.tsx';

interface Received {
  status: number;
  ms: number;
  body: string;
  contactId: number | null;
}

/** Sends a first request with a new token, as a partner would. */
export function TryIt({ token }: { token: string }) {
  const account = useAccount();
  const { user } = useSession();
  const [which, setWhich] = useState('read');
  const [email, setEmail] = useState(user.email);
  const request: PartnerRequest =
    which === 'read'
      ? { method: 'GET', path: '/v1/account/units?groups=true' }
      : { method: 'POST', path: '/v1/contact', body: { account_id: account.id, email } };
  const sending = useMutation({ mutationFn: () => send(request, token), meta: useShowsError() });
  function change(act: () => void) {
    act();
    sending.reset();
  }
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="What to try"
        value={which}
        onChange={(value) => change(() => setWhich(value))}
        data={[
          { value: 'read', label: 'List venues' },
          { value: 'write', label: 'Write a contact' },
        ]}
      />
      {which === 'write' && (
        <TextInput
          label="E-mail of the contact"
          description="This writes a real guest to this account, or updates the one with this e-mail. Use your own address."
          type="email"
          value={email}
          onChange={(event) => {
            const { value } = event.currentTarget;
            change(() => setEmail(value));
          }}
        />
      )}
      <CodeBlock what="command" title="In a terminal" wrap>
        {curl(request, token)}
      </CodeBlock>
      <Group justify="space-between">
        <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
          Send it
        </Button>
        <Group gap="xs" aria-live="polite">
          {sending.data && <StatusBadge status={sending.data.status} />}
          {sending.data && (
            <Text size="sm" c="dimmed">
              {formatNumber(sending.data.ms)} ms
            </Text>
          )}
        </Group>
      </Group>
      {sending.error && (
        <Alert color="red" role="alert">
          No response. Check the connection, then try again.
        </Alert>
      )}
      {sending.data && (
        <CodeBlock what="answer" wrap>
          {sending.data.body}
        </CodeBlock>
      )}
      {sending.data?.contactId && (
        <Text size="sm">
          The guest is here:{' '}
          <TextLink
            to="/accounts/$accountId/guests/$contactId"
            params={{ accountId: account.id, contactId: sending.data.contactId }}
          >
            guest {sending.data.contactId}
          </TextLink>
        </Text>
      )}
    </Stack>
  );
}

async function send({ method, path, body }: PartnerRequest, token: string): Promise<Received> {
  const startedAt = performance.now();
  const response = await fetch(path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : null,
    // Without the session cookie, so that only the token authenticates the request.
    credentials: 'omit',
  });
  const text = await response.text();
  const ms = Math.max(1, Math.round(performance.now() - startedAt));
  const answer = parsed(text);
  const { id } = (answer ?? {}) as { id?: unknown };
  return {
    status: response.status,
    ms,
    body: answer === undefined ? text : JSON.stringify(answer, null, 2),
    contactId: method === 'POST' && response.ok && typeof id === 'number' ? id : null,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
