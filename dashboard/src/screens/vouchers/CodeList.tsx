import { Button, CloseButton, Code, Group, Modal, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconDownload, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { CodeGroup } from '#service/features/vouchers/group-schema.ts';
import type { StaffCode } from '#service/features/vouchers/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { adminUrl } from '../../api/client.ts';
import { getList } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { useDeferred } from '../../ui/deferred.ts';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { DateTime } from '../../ui/Values.tsx';
import { useWindow } from '../../ui/window.ts';
import { AssignCode } from './AssignCode.tsx';
import { CodeStatus } from './CodeStatus.tsx';
import { GuestLink } from './GuestLink.tsx';
import { groupPath } from './paths.ts';
import { RedemptionPlace } from './RedemptionPlace.tsx';
import { UnassignCode } from './UnassignCode.tsx';

const route = getRouteApi('/guard/accounts/$accountId/vouchers/$groupId');

const filters = {
  all: {},
  free: { status: 'Active', assigned: false },
  assigned: { status: 'Active', assigned: true },
  redeemed: { status: 'Redeemed' },
} as const;

export function CodeList({ group }: { group: CodeGroup }) {
  const account = useAccount();
  const mayChange = useHasRole('staff');
  const { page, show = 'all', code = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const path = `${groupPath(account, group.id)}/codes`;
  const filter = { ...filters[show], unique_code: code || undefined };
  const codes = useQuery(getList<Paged<StaffCode>>(path, { ...filter, page }));
  const rows = useDeferred(codes.data?.data);
  const assigning = useWindow<StaffCode>();
  const unassigning = useWindow<StaffCode>();
  const setFilter = (change: { show?: keyof typeof filters; code?: string }) =>
    void navigate({
      search: (search) => ({
        ...search,
        page: undefined,
        ...('show' in change ? { show: change.show === 'all' ? undefined : change.show } : {}),
        ...('code' in change ? { code: change.code?.trim() || undefined } : {}),
      }),
      replace: true,
      resetScroll: false,
    });
  const actions: Column<StaffCode> = {
    title: 'Actions',
    isActions: true,
    render: (one) => {
      if (one.contact_id === null)
        return (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={`Assign ${one.unique_code}`}
            onClick={() => assigning.open(one)}
          >
            Assign
          </Button>
        );
      if (one.status === 'Redeemed') return null;
      return (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`Take back ${one.unique_code}`}
          onClick={() => unassigning.open(one)}
        >
          Take back
        </Button>
      );
    },
  };
  const exported = { ...filter, format: 'csv' };
  return (
    <Panel
      title="Codes"
      flush
      actions={
        <Button
          component="a"
          href={adminUrl(path, exported)}
          download={`${group.name}${show === 'all' ? '' : ` (${show})`}.csv`}
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Export {show === 'all' && code === '' ? 'all' : 'these'} as CSV
        </Button>
      }
    >
      <Group p="md" gap="sm">
        <SegmentedControl
          aria-label="Which codes"
          size="sm"
          value={show}
          onChange={(value) => setFilter({ show: value as keyof typeof filters })}
          data={[
            { value: 'all', label: 'All' },
            { value: 'free', label: 'Free' },
            { value: 'assigned', label: 'Assigned' },
            { value: 'redeemed', label: 'Redeemed' },
          ]}
        />
        <CodeSearch key={group.id} code={code} onCode={(text) => setFilter({ code: text })} />
      </Group>
      <DataTable
        label="Codes"
        rows={rows}
        error={codes.error}
        onRetry={codes.refetch}
        stale={codes.isPlaceholderData}
        rowKey={({ id }) => id}
        empty={
          show === 'all' && code === '' ? (
            <EmptyState title="No codes yet">
              {mayChange ? 'Generate codes, or import your own.' : 'Staff generate or import them.'}
            </EmptyState>
          ) : (
            <EmptyState title="No codes found">No code of this group matches.</EmptyState>
          )
        }
        columns={[
          { title: 'Code', oneLine: true, render: ({ unique_code }) => <Code>{unique_code}</Code> },
          { title: 'Status', render: (one) => <CodeStatus code={one} /> },
          { title: 'Guest', render: (one) => <GuestLink code={one} /> },
          { title: 'Assigned', oneLine: true, render: ({ assigned_at }) => <DateTime at={assigned_at} dayOnly /> },
          { title: 'Redeemed', render: (one) => <RedemptionPlace code={one} /> },
          {
            title: 'Made',
            oneLine: true,
            wideOnly: true,
            render: ({ created_at }) => <DateTime at={created_at} dayOnly />,
          },
          ...(mayChange ? [actions] : []),
        ]}
      />
      <Pager
        of={codes.data}
        onPage={(to) =>
          void navigate({
            search: (search) => ({ ...search, page: to === 1 ? undefined : to }),
            resetScroll: false,
          })
        }
      />
      <Modal opened={assigning.opened} onClose={assigning.close} title="Assign a code">
        {assigning.subject && <AssignCode code={assigning.subject} onClose={assigning.close} />}
      </Modal>
      {unassigning.subject && (
        <UnassignCode code={unassigning.subject} opened={unassigning.opened} onClose={unassigning.close} />
      )}
    </Panel>
  );
}

/** Searches for one code of the group. */
function CodeSearch({ code, onCode }: { code: string; onCode: (code: string) => void }) {
  const [typed, setTyped] = useState(code);
  const look = useDebouncedCallback(onCode, 200);
  const type = (text: string) => {
    setTyped(text);
    look(text);
  };
  return (
    <TextInput
      aria-label="Find a code of this group"
      placeholder="Full code"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={typed !== '' && <CloseButton size="sm" aria-label="Clear" onClick={() => type('')} />}
      maxLength={255}
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}
