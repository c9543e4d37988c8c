import { Alert, Button, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Venue } from '#service/features/insight/venues/schema.ts';
import type { AssignedCodes } from '#service/features/vouchers/schema.ts';
import { api } from '../../api/client.ts';
import { getAll, useShowsError } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { withCount } from '../../ui/format.ts';
import { withoutFieldNames } from './AssignToGuest.tsx';
import { refreshVouchers } from './paths.ts';

/**
 * Assigns a free code to every guest of a group who has none. It sends several requests, so it can be stopped and
 * repeated.
 */
export function AssignToGroup({ path, onClose }: { path: string; onClose: () => void }) {
  const account = useAccount();
  const venues = useQuery(getAll<Venue>(`${account.path}/venues`));
  const [groupId, setGroupId] = useState<string | null>(null);
  const [progress, setProgress] = useState<{ given: number; of: number } | null>(null);
  const stopped = useRef(false);
  useEffect(() => {
    return () => {
      stopped.current = true;
    };
  }, []);
  const assigning = useMutation({
    mutationFn: async () => {
      let [given, remaining] = [0, 1];
      stopped.current = false;
      while (remaining > 0 && !stopped.current) {
        const answer = await api.post<AssignedCodes>(`${path}/assign`, { group_id: Number(groupId) });
        given += answer.assigned;
        remaining = answer.remaining;
        setProgress({ given, of: given + remaining });
      }
      return { given, remaining };
    },
    meta: useShowsError(),
    onSettled: () => refreshVouchers(account),
  });
  if (assigning.data) {
    const { given, remaining } = assigning.data;
    const groups = venues.data?.flatMap(({ folders }) => folders.flatMap((folder) => folder.groups));
    const isEmpty = groups?.find(({ id }) => String(id) === groupId)?.guests === 0;
    const nothing = isEmpty ? 'This group has no guests.' : 'All guests of this group already had a code.';
    return (
      <Stack>
        <Alert color={remaining > 0 || given === 0 ? 'gray' : 'green'} role="status">
          {given === 0 && remaining === 0 ? nothing : `${withCount(given, 'guest', 'guests')} got a code.`}
          {remaining > 0 && ` Stopped: ${withCount(remaining, 'guest has', 'guests have')} no code yet.`}
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    );
  }
  const choices = (venues.data ?? []).map(({ name, folders }) => ({
    group: name,
    items: folders.flatMap((folder) =>
      folder.groups.map(({ id, name, guests }) => ({
        value: String(id),
        label: `${name} (${withCount(guests, 'guest')})`,
      })),
    ),
  }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        assigning.mutate();
      }}
    >
      <Stack>
        <Select
          label="Group of guests"
          placeholder="Newsletter"
          description="If there are too few codes for the whole group, none is assigned."
          data={choices.filter(({ items }) => items.length > 0)}
          nothingFoundMessage="No group found"
          searchable
          value={groupId}
          onChange={setGroupId}
          disabled={assigning.isPending}
        />
        {assigning.isPending && progress && (
          <div>
            <Text size="sm" mb={4}>
              {withCount(progress.given, 'guest')} of {withCount(progress.of, 'guest')}. If you close this window, it
              stops. Codes that are already assigned stay.
            </Text>
            <Progress.Root>
              <Progress.Section value={(progress.given / progress.of) * 100} aria-label="Guests with a code" />
            </Progress.Root>
          </div>
        )}
        {assigning.error && (
          <Alert color="red" role="alert">
            {withoutFieldNames(assigning.error.message)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          {assigning.isPending ? (
            <Button
              variant="default"
              onClick={() => {
                stopped.current = true;
              }}
            >
              Stop
            </Button>
          ) : (
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          )}
          <Button type="submit" disabled={groupId === null} loading={assigning.isPending}>
            Assign codes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
