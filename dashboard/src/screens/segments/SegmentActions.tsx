import { Badge, Button, Group, Modal, Progress, Select, Stack, Text } from '@mantine/core';
import { IconTicket, IconUsersPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ActionKind, SegmentAction } from '#service/features/insight/segments/action-schema.ts';
import type { Segment } from '#service/features/insight/segments/schema.ts';
import type { CodeGroup } from '#service/features/vouchers/group-schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { api } from '../../api/client.ts';
import { getAll, getList, refresh } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { formatNumber, withCount } from '../../ui/format.ts';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { DateTime } from '../../ui/Values.tsx';
import { useChoices } from './names.ts';
import { segmentPath } from './paths.ts';
import classes from './Segments.module.css';

const everyMs = 1000;
const isOpen = ({ finished_at }: SegmentAction) => finished_at === null;

/** What staff can do with all guests of a segment, and what they did before. */
export function SegmentActions({ segment }: { segment: Segment }) {
  const account = useAccount();
  const mayWrite = useHasRole('staff');
  const [page, setPage] = useState(1);
  const [asked, setAsked] = useState<ActionKind>();
  const path = `${account.path}/segment_actions`;
  const actions = useQuery({
    ...getList<Paged<SegmentAction>>(path, { segment_id: segment.id, page }),
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) ? everyMs : false),
  });
  const running = actions.data?.data.some(isOpen) ?? false;
  // The members of other segments, and the groups of guests, have changed.
  useEffect(() => {
    if (!running) return;
    return () => void refresh(`${account.path}/contacts`, `${account.path}/segments`, `${account.path}/venues`);
  }, [running, account.path]);
  const close = () => setAsked(undefined);
  const done = async () => {
    setPage(1);
    await refresh(path);
    close();
  };
  const shown = actions.data?.data ?? [];
  if (!mayWrite && shown.length === 0) return null;
  return (
    <Panel
      title="For all guests of this segment"
      actions={
        mayWrite && (
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<IconTicket size={16} aria-hidden />}
              onClick={() => setAsked('assign_codes')}
            >
              Give each a voucher
            </Button>
            <Button
              variant="default"
              leftSection={<IconUsersPlus size={16} aria-hidden />}
              onClick={() => setAsked('add_to_group')}
            >
              Add to a group
            </Button>
          </Group>
        )
      }
      flush={shown.length > 0}
    >
      {shown.length === 0 ? (
        <Text c="dimmed">Nothing was done with all of them yet.</Text>
      ) : (
        <ul className={classes.actions} aria-label="Actions">
          {shown.map((action) => (
            <li key={action.id}>
              <Action action={action} mayCancel={mayWrite} />
            </li>
          ))}
        </ul>
      )}
      {actions.data && actions.data.last_page > 1 && <Pager of={actions.data} onPage={setPage} />}
      <Modal
        opened={asked === 'assign_codes'}
        onClose={close}
        closeButtonProps={{ 'aria-label': 'Close' }}
        title="Give each a voucher"
      >
        <GiveVouchers segment={segment} onClose={close} onDone={done} />
      </Modal>
      <Modal
        opened={asked === 'add_to_group'}
        onClose={close}
        closeButtonProps={{ 'aria-label': 'Close' }}
        title="Add to a group"
      >
        <AddToGroup segment={segment} onClose={close} onDone={done} />
      </Modal>
    </Panel>
  );
}

interface FormProps {
  segment: Segment;
  onClose: () => void;
  onDone: () => Promise<void>;
}

const guestsOf = ({ count }: Segment) => (count === null ? 'the guests' : withCount(count, 'guest'));

function GiveVouchers({ segment, onClose, onDone }: FormProps) {
  const account = useAccount();
  const groups = useQuery(getAll<CodeGroup>(`${account.path}/unique_code_groups`));
  const form = useServerForm({
    initialValues: { unique_code_group_id: null as string | null },
    send: (values) => api.post<SegmentAction>(`${segmentPath(account, segment.id)}/assign_codes`, values),
    onDone,
  });
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <Text>
          Each of {guestsOf(segment)} in {segment.name} gets one free code. Guests who have a code of this voucher group
          keep it and get no other.
        </Text>
        <Select
          label="Voucher group"
          placeholder={groups.data?.length === 0 ? 'There are no voucher groups yet' : 'Choose'}
          data={(groups.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          searchable
          required
          data-autofocus
          nothingFoundMessage="No such voucher group"
          {...form.getInputProps('unique_code_group_id')}
        />
        <FormEnd form={form} onCancel={onClose} disabled={form.values.unique_code_group_id === null}>
          Give vouchers
        </FormEnd>
      </Stack>
    </form>
  );
}

function AddToGroup({ segment, onClose, onDone }: FormProps) {
  const account = useAccount();
  const { group: groups } = useChoices(new Set(['group']));
  const venues = [...new Set((groups ?? []).map(({ of = '' }) => of))];
  const form = useServerForm({
    initialValues: { group_id: null as string | null },
    send: (values) => api.post<SegmentAction>(`${segmentPath(account, segment.id)}/add_to_group`, values),
    onDone,
  });
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <Text>
          Each of {guestsOf(segment)} in {segment.name} is added to the group and to its venue. They stay in the group
          when they leave the segment.
        </Text>
        <Select
          label="Group"
          placeholder={groups?.length === 0 ? 'There are no groups yet' : 'Choose'}
          data={venues.map((venue) => ({
            group: venue,
            items: (groups ?? [])
              .filter(({ of = '' }) => of === venue)
              .map(({ id, name }) => ({ value: String(id), label: name })),
          }))}
          searchable
          required
          data-autofocus
          nothingFoundMessage="No such group"
          {...form.getInputProps('group_id')}
        />
        <FormEnd form={form} onCancel={onClose} disabled={form.values.group_id === null}>
          Add guests
        </FormEnd>
      </Stack>
    </form>
  );
}

const stateWords: Record<SegmentAction['state'], { text: string; color: string }> = {
  waiting: { text: 'Waiting', color: 'gray' },
  running: { text: 'Running', color: 'accent' },
  done: { text: 'Done', color: 'green' },
  failed: { text: 'Failed', color: 'red' },
  cancelled: { text: 'Cancelled', color: 'gray' },
};

function Action({ action, mayCancel }: { action: SegmentAction; mayCancel: boolean }) {
  const { path } = useAccount();
  const { kind, target_name, state, total, done, skipped, error, created_at } = action;
  const cancel = useMutation({
    mutationFn: () => api.post(`${path}/segment_actions/${action.id}/cancel`),
    onSuccess: () => refresh(`${path}/segment_actions`),
  });
  const { text, color } = stateWords[state];
  const handled = done + skipped;
  const target = target_name ?? (kind === 'assign_codes' ? 'a deleted voucher group' : 'a deleted group');
  const title = kind === 'assign_codes' ? `Voucher: ${target}` : `Group: ${target}`;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <span className={classes.actionTitle}>{title}</span>
        <Badge color={color}>{text}</Badge>
      </Group>
      {isOpen(action) && (
        <Progress.Root>
          <Progress.Section
            value={total === 0 ? 0 : Math.min(100, (100 * handled) / total)}
            aria-label={`${title}: guests handled`}
          />
        </Progress.Root>
      )}
      <Text size="sm" c="dimmed">
        {isOpen(action) && `${formatNumber(handled)} of ${withCount(total, 'guest')} · `}
        {(handled > 0 || !isOpen(action)) && `${resultText(action)} · `}
        {'started '}
        <DateTime at={created_at} />
      </Text>
      {error && (
        <Text size="sm" c="red">
          {error}
        </Text>
      )}
      {isOpen(action) && mayCancel && (
        <div>
          <Button
            variant="default"
            size="xs"
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
            aria-label={`Cancel: ${title}`}
          >
            Cancel
          </Button>
        </div>
      )}
    </Stack>
  );
}

function resultText({ kind, done, skipped }: SegmentAction): string {
  const [got, had] = kind === 'assign_codes' ? ['got a code', 'had one'] : ['added', 'were in it'];
  return `${withCount(done, 'guest')} ${got}${skipped > 0 ? `, ${formatNumber(skipped)} ${had} before` : ''}`;
}
