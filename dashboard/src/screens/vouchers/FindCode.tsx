import { CloseButton, Code, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { StaffContactCode } from '#service/features/vouchers/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { getList } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { CodeStatus } from './CodeStatus.tsx';
import { GuestLink } from './GuestLink.tsx';
import { RedemptionPlace } from './RedemptionPlace.tsx';

const route = getRouteApi('/guard/accounts/$accountId/vouchers');

/** Finds a code that a guest shows: its group, its guest and its status. */
export function FindCode() {
  const { code = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(code);
  const look = useDebouncedCallback((text: string) => {
    void navigate({ search: (search) => ({ ...search, code: text.trim() || undefined }), replace: true });
  }, 200);
  function type(text: string) {
    setTyped(text);
    look(text);
  }
  return (
    <Panel flush={code !== ''}>
      <TextInput
        label="Find a code"
        placeholder="SUMMER-7KQ"
        description="Enter the full code. Upper or lower case does not matter."
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={typed !== '' && <CloseButton size="sm" aria-label="Clear" onClick={() => type('')} />}
        value={typed}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        maw="24rem"
        m={code === '' ? 0 : 'md'}
        onChange={(event) => type(event.currentTarget.value)}
      />
      {code !== '' && <FoundCodes code={code} />}
    </Panel>
  );
}

function FoundCodes({ code }: { code: string }) {
  const account = useAccount();
  const codes = useQuery(getList<Paged<StaffContactCode>>(`${account.path}/unique_codes`, { unique_code: code }));
  return (
    <DataTable
      label="Codes found"
      rows={codes.data?.data}
      error={codes.error}
      onRetry={codes.refetch}
      stale={codes.isPlaceholderData}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title={`No group has the code ${code}`}>
          Enter the full code. Check letters and digits that look alike.
        </EmptyState>
      }
      columns={[
        { title: 'Code', oneLine: true, render: ({ unique_code }) => <Code>{unique_code}</Code> },
        { title: 'Status', render: (one) => <CodeStatus code={one} /> },
        {
          title: 'Group',
          render: ({ unique_code_group_id, unique_code_group_name }) => (
            <TextLink
              to="/accounts/$accountId/vouchers/$groupId"
              params={{ accountId: account.id, groupId: unique_code_group_id }}
              search={{ code }}
            >
              {unique_code_group_name}
            </TextLink>
          ),
        },
        { title: 'Guest', render: (one) => <GuestLink code={one} /> },
        { title: 'Redeemed', render: (one) => <RedemptionPlace code={one} /> },
      ]}
    />
  );
}
