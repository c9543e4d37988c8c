import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { AuditEntry } from '#service/features/access/audit/schema.ts';
import type { User } from '#service/features/access/users/schema.ts';
import { describeAction } from '#service/shared/actions.ts';
import type { Paged } from '#service/shared/fields.ts';
import { toWords } from '#service/shared/phrases.ts';
import { getAll, getList } from '../../api/queries.ts';
import { useHasRole, useSession } from '../../session/session.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Page, TextLink } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { DateTime } from '../../ui/Values.tsx';
import classes from './AuditTrail.module.css';
import { OwnersOnly } from './OwnersOnly.tsx';

const route = getRouteApi('/guard/accounts/$accountId/settings/audit');

export function AuditTrail() {
  return useHasRole('owner') ? <Trail /> : <OwnersOnly title="Audit trail" />;
}

function Trail() {
  const { accounts } = useSession();
  const { user_id, account_id, page } = route.useSearch();
  const navigate = route.useNavigate();
  const trail = useQuery(getList<Paged<AuditEntry>>('/audit', { user_id, account_id, page }));
  /** The account column is hidden if there is only one account. */
  function accountName(id: number | null): string | undefined {
    if (id === null) return undefined;
    const account = accounts.find((account) => account.id === id);
    if (!account) return `account ${id}, deleted`;
    return accounts.length > 1 ? account.name : undefined;
  }

  const columns: Column<AuditEntry>[] = [
    { title: 'What', render: (entry) => <AuditEvent of={entry} where={accountName(entry.account_id)} /> },
    {
      title: 'Who',
      oneLine: true,
      render: ({ actor, address }) => (
        <>
          {actor}
          {address && (
            <Text c="dimmed" size="sm">
              {address}
            </Text>
          )}
        </>
      ),
    },
    { title: 'When', oneLine: true, render: ({ at }) => <DateTime at={at} /> },
  ];

  return (
    <Page
      title="Audit trail"
      lead="Every change through the dashboard, the admin API or the command line, with the user and the network address."
    >
      <Panel flush>
        <div className={classes.filters}>
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
        </div>
        <DataTable
          label="Audit trail"
          columns={columns}
          rows={trail.data?.data}
          rowKey={({ id }) => id}
          error={trail.error}
          onRetry={trail.refetch}
          stale={trail.isPlaceholderData}
          empty={<EmptyState title="No changes found">Sign-ins are also recorded here.</EmptyState>}
        />
        <Pager of={trail.data} onPage={(page) => void navigate({ search: { user_id, account_id, page } })} />
      </Panel>
    </Page>
  );
}

/** The users to filter by. Changes of deleted users stay in the trail. */
function UserFilter({ chosen, onChange }: { chosen: number | undefined; onChange: (id: number | undefined) => void }) {
  const users = useQuery(getAll<User>('/users'));
  const known = users.data?.map(({ id, email }) => ({ value: String(id), label: email })) ?? [];
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
    />
  );
}

function AuditEvent({ of: entry, where }: { of: AuditEntry; where: string | undefined }) {
  const { contact_id } = entry.ids;
  // The fields add information only for an update.
  const fields = entry.action.endsWith('.update') ? entry.fields.map(toWords).join(', ') : '';
  const more = [fields, where].filter(Boolean).join(' · ');
  const isErased = entry.action === 'contact.erase';
  return (
    <Text inherit className={classes.event}>
      {describeAction(entry)}
      {contact_id && entry.account_id && (
        <>
          {': '}
          {isErased ? (
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
      {more && (
        <Text component="span" c="dimmed" size="sm">
          {' · '}
          {more}
        </Text>
      )}
    </Text>
  );
}
