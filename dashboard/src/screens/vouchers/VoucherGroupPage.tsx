import { Button, Menu, Stack } from '@mantine/core';
import { IconDots, IconFileImport, IconPencil, IconPlus, IconTrash, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { CodeGroup, Statistics } from '#service/features/vouchers/group-schema.ts';
import { api } from '../../api/client.ts';
import { get } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { formatInstantDay } from '../../ui/format.ts';
import { Page, TextLink } from '../../ui/Page.tsx';
import { Rename } from '../../ui/Rename.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { unitsQuery } from '../venues/units.ts';
import { AssignCodes } from './AssignCodes.tsx';
import { CodeList } from './CodeList.tsx';
import { DeleteGroup } from './DeleteGroup.tsx';
import { GenerateCodes } from './GenerateCodes.tsx';
import { GenerationProgress } from './GenerationProgress.tsx';
import { GroupFigures } from './GroupFigures.tsx';
import { useGeneration } from './generations.ts';
import { ImportCodes } from './ImportCodes.tsx';
import { groupPath, refreshVouchers } from './paths.ts';
import { Redemptions } from './Redemptions.tsx';

const route = getRouteApi('/guard/accounts/$accountId/vouchers/$groupId');

type Window = 'generate' | 'import' | 'give' | 'rename' | 'delete';

export function VoucherGroupPage() {
  const account = useAccount();
  const mayChange = useHasRole('staff');
  const { groupId } = route.useParams();
  const path = groupPath(account, groupId);
  const group = useQuery(get<CodeGroup>(path));
  const statistics = useQuery(get<Statistics>(`${path}/statistics`));
  const units = useQuery(unitsQuery(account));
  const isGenerating = useGeneration(path)?.state === 'running';
  const [opened, setOpened] = useState<Window | null>(null);
  const window = (which: Window) => ({ opened: opened === which, onClose: () => setOpened(null) });
  const unit = units.data?.find(({ id }) => id === group.data?.unit_id);
  const breadcrumbs = [
    <TextLink key="vouchers" to="/accounts/$accountId/vouchers" params={{ accountId: account.id }}>
      Vouchers
    </TextLink>,
  ];
  if (group.error && !group.data)
    return (
      <Page title="Voucher group" breadcrumbs={breadcrumbs}>
        <ErrorState error={group.error} onRetry={group.refetch} />
      </Page>
    );
  const since = group.data && `since ${formatInstantDay(group.data.created_at, account.time_zone)}`;
  const actions = mayChange && group.data && (
    <>
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        disabled={isGenerating}
        onClick={() => setOpened('generate')}
      >
        Generate codes
      </Button>
      <Button variant="default" leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setOpened('give')}>
        Assign
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label="More">
            <IconDots size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFileImport size={16} aria-hidden />} onClick={() => setOpened('import')}>
            Import codes
          </Menu.Item>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setOpened('rename')}>
            Rename
          </Menu.Item>
          <Menu.Item
            c="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            disabled={!statistics.data}
            onClick={() => setOpened('delete')}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
  return (
    <Page
      title={group.data?.name ?? 'Voucher group'}
      lead={[unit?.name, since].filter(Boolean).join(', ') || ' '}
      breadcrumbs={breadcrumbs}
      actions={actions}
    >
      <Stack gap="lg">
        <GenerationProgress path={path} />
        <GroupFigures statistics={statistics.data} />
        <Redemptions groupId={groupId} />
        {group.data && <CodeList group={group.data} />}
      </Stack>
      {group.data && mayChange && (
        <>
          <GenerateCodes group={group.data} {...window('generate')} />
          <ImportCodes group={group.data} {...window('import')} />
          <AssignCodes group={group.data} {...window('give')} />
          <Rename
            what="group"
            name={group.data.name}
            {...window('rename')}
            onRename={async (name) => {
              await api.patch(path, { name });
              await refreshVouchers(account);
            }}
          />
          {statistics.data && <DeleteGroup group={group.data} statistics={statistics.data} {...window('delete')} />}
        </>
      )}
    </Page>
  );
}
