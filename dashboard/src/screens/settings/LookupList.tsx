import { Badge, Button, Group, Menu, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Lookup } from '#service/features/venues/lookups/schema.ts';
import type { LookupTable } from '#service/shared/codes.ts';
import type { Paged } from '#service/shared/fields.ts';
import { api } from '../../api/client.ts';
import { getList, refresh } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { notify } from '../../ui/notify.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { useWindow } from '../../ui/window.ts';
import { LookupForm } from './LookupForm.tsx';

interface LookupListProps {
  title: string;
  /** One sentence about the list. */
  lead: string;
  /** The name of one entry: "source". */
  noun: string;
  /** The path of the list in the admin API. */
  table: LookupTable;
  /** The text of the empty state. */
  empty: string;
  /** The text of the delete confirmation. */
  deleteText: string;
  /** The built-in ids. They are the same in every account and cannot be changed. */
  builtIn?: readonly number[];
  /** Whether an entry has a type, chosen when it is added. */
  typed?: boolean;
}

/** A look-up: a list of names that partners refer to by id. */
export function LookupList({
  title,
  lead,
  noun,
  table,
  empty,
  deleteText: afterwards,
  builtIn = [],
  typed = false,
}: LookupListProps) {
  const path = `${useAccount().path}/${table}`;
  const mayChange = useHasRole('staff');
  const navigate = useNavigate();
  const { page } = useSearch({ strict: false });
  const list = useQuery(getList<Paged<Lookup>>(path, { page }));
  const editing = useWindow<Lookup | undefined>();
  const deleting = useWindow<Lookup>();

  const columns: Column<Lookup>[] = [
    {
      title: 'Name',
      render: ({ id, name }) => (
        <Group gap="xs">
          <span>{name}</span>
          {builtIn.includes(id) && <Badge color="gray">Built in</Badge>}
        </Group>
      ),
    },
    ...(typed ? [{ title: 'Type', render: ({ type }: Lookup) => (type === 'date' ? 'Date' : 'Text') }] : []),
    { title: 'Id', align: 'end', width: '5rem', render: ({ id }) => id },
  ];
  if (mayChange)
    columns.push({
      title: 'Actions',
      isActions: true,
      width: '3rem',
      render: (row) =>
        !builtIn.includes(row.id) && (
          <RowMenu of={row.name}>
            <Menu.Item onClick={() => editing.open(row)}>Rename</Menu.Item>
            <Menu.Item c="red" onClick={() => deleting.open(row)}>
              Delete
            </Menu.Item>
          </RowMenu>
        ),
    });
  const create = mayChange && <Button onClick={() => editing.open(undefined)}>{`New ${noun}`}</Button>;

  return (
    <Page title={title} lead={lead} actions={create}>
      <Panel flush>
        <DataTable
          label={title}
          columns={columns}
          rows={list.data?.data}
          rowKey={({ id }) => id}
          empty={<EmptyState title={`No ${title.toLowerCase()} yet`}>{empty}</EmptyState>}
          error={list.error}
          onRetry={list.refetch}
          stale={list.isPlaceholderData}
        />
        <Pager of={list.data} onPage={(page) => void navigate({ to: '.', search: (old) => ({ ...old, page }) })} />
      </Panel>
      <Modal
        opened={editing.opened}
        onClose={editing.close}
        title={editing.subject ? `Rename ${editing.subject.name}` : `New ${noun}`}
      >
        <LookupForm path={path} noun={noun} typed={typed} of={editing.subject} onClose={editing.close} />
      </Modal>
      <Confirm
        opened={deleting.opened}
        onClose={deleting.close}
        title={`Delete ${deleting.subject?.name}?`}
        action={`Delete ${noun}`}
        danger
        onConfirm={async () => {
          await api.delete(`${path}/${deleting.subject?.id}`);
          notify.success(`${deleting.subject?.name} is deleted.`);
          await refresh(path);
        }}
      >
        <Text>{afterwards}</Text>
      </Confirm>
    </Page>
  );
}
