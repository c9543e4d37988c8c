import { Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { AuditEntry } from '#service/audit/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import type { User } from '#service/users/schema.ts';
import { get } from '../api/queries.ts';
import { useMay, useSession } from '../session/session.ts';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { Page, TextLink } from '../ui/Page.tsx';
import { Pager } from '../ui/Pager.tsx';
import { Panel } from '../ui/Panel.tsx';
import { EmptyState } from '../ui/States.tsx';
import { DateTime, Missing } from '../ui/Values.tsx';
import classes from './AuditTrail.module.css';
import { deedInWords, fieldsInWords } from './deed.ts';
import { OwnersOnly } from './OwnersOnly.tsx';

const route = getRouteApi('/guard/accounts/$accountId/settings/audit');

export function AuditTrail() {
  return useMay('owner') ? <Trail /> : <OwnersOnly title="Audit trail" />;
}

function Trail() {
  const { accounts } = useSession();
  const { user_id, account_id, page } = route.useSearch();
  const navigate = route.useNavigate();
  const trail = useQuery(get<Paged<AuditEntry>>('/audit', { user_id, account_id, page }));
  const accountName = (id: number) => accounts.find((account) => account.id === id)?.name ?? `Account ${id}, deleted`;

  const columns: Column<AuditEntry>[] = [
    { title: 'What', render: (entry) => <Deed {...entry} /> },
    { title: 'Who', render: ({ actor }) => actor },
    { title: 'When', render: ({ at }) => <DateTime at={at} /> },
  ];
  if (accounts.length > 1)
    columns.splice(2, 0, {
      title: 'Account',
      render: ({ account_id }) => (account_id === null ? <Missing /> : accountName(account_id)),
    });

  return (
    <Page
      title="Audit trail"
      lead="Everything that was changed in the dashboard or through the admin API, and by whom."
    >
      <Panel flush>
        <Group className={classes.filters} gap="xs">
          <UserFilter chosen={user_id} onChange={(user_id) => void navigate({ search: { user_id, account_id } })} />
          {accounts.length > 1 && (
            <Select
              aria-label="Account"
              placeholder="Any account"
              data={accounts.map(({ id, name }) => ({ value: String(id), label: name }))}
              value={account_id ? String(account_id) : null}
              onChange={(id) => void navigate({ search: { user_id, account_id: id ? Number(id) : undefined } })}
              searchable
              clearable
              clearButtonProps={{ 'aria-label': 'Any account' }}
            />
          )}
        </Group>
        <DataTable
          label="Audit trail"
          columns={columns}
          rows={trail.data?.data}
          rowKey={({ id }) => id}
          error={trail.error}
          onRetry={trail.refetch}
          stale={trail.isPlaceholderData}
          empty={<EmptyState title="Nothing of the kind was done">Signing in is written down too.</EmptyState>}
        />
        <Pager of={trail.data} onPage={(page) => void navigate({ search: { user_id, account_id, page } })} />
      </Panel>
    </Page>
  );
}

/** Those who still exist; the others' deeds are in the trail all the same. */
function UserFilter({ chosen, onChange }: { chosen: number | undefined; onChange: (id: number | undefined) => void }) {
  const users = useQuery(get<Paged<User>>('/users'));
  const known = users.data?.data.map(({ id, email }) => ({ value: String(id), label: email })) ?? [];
  const isMissing = chosen !== undefined && users.data && !known.some(({ value }) => value === String(chosen));
  return (
    <Select
      aria-label="Who"
      placeholder="Anybody"
      data={isMissing ? [...known, { value: String(chosen), label: `User ${chosen}` }] : known}
      value={chosen ? String(chosen) : null}
      onChange={(id) => onChange(id ? Number(id) : undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Anybody' }}
      nothingFoundMessage="No such user."
    />
  );
}

function Deed(entry: AuditEntry) {
  const { contact_id } = entry.ids;
  const fields = fieldsInWords(entry);
  const isGone = entry.action.startsWith('Erase');
  return (
    <>
      {deedInWords(entry)}
      {contact_id && entry.account_id && (
        <>
          {': '}
          {isGone ? (
            `guest ${contact_id}`
          ) : (
            <TextLink
              to="/accounts/$accountId/guests/$contactId"
              params={{ accountId: entry.account_id, contactId: contact_id }}
            >
              guest {contact_id}
            </TextLink>
          )}
        </>
      )}
      {fields && (
        <Text component="span" c="dimmed" size="sm">
          {' '}
          ({fields})
        </Text>
      )}
    </>
  );
}
