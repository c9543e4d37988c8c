import { Alert, List, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FolderEffects, GroupEffects, UnitEffects } from '#service/features/insight/venues/schema.ts';
import { api } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { say } from '../ui/say.ts';
import { effectsOn } from './effects.ts';
import { type Kind, paths, type Thing } from './venues.ts';

interface DeleteWindowProps {
  thing: Thing | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Says what goes and what stays, as the service counts it at this moment. */
export function DeleteWindow({ thing, opened, onClose }: DeleteWindowProps) {
  const account = useAccount();
  const path = thing && `${account.path}/${paths[thing.kind]}/${thing.id}`;
  const effects = useQuery({
    // Not a path of the account's: when all that is shown of that is read again, the thing is gone.
    queryKey: ['effects', path],
    queryFn: ({ signal }) => api.get<UnitEffects | FolderEffects | GroupEffects>(`${path}/effects`, {}, { signal }),
    enabled: opened,
    // What was counted a while ago may be wrong by now.
    gcTime: 0,
  });
  async function remove() {
    await api.delete(`${path}`);
    await refresh(account.path);
    say.done(`${thing?.name} is deleted.`);
  }
  const { data, error, isPending } = effects;
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${thing?.name}?`}
      action={`Delete ${thing?.kind}`}
      danger
      disabled={data?.refused !== null}
      onConfirm={remove}
    >
      {error && <Alert color="red">{error.message}</Alert>}
      {isPending && (
        <Stack gap="xs" aria-busy>
          <Skeleton height="0.75rem" width="90%" />
          <Skeleton height="0.75rem" width="70%" />
        </Stack>
      )}
      {data && (data.refused ?? (thing && <Told kind={thing.kind} effects={data} />))}
    </Confirm>
  );
}

function Told({ kind, effects }: { kind: Kind; effects: UnitEffects | FolderEffects | GroupEffects }) {
  return (
    <Stack gap="xs">
      <List spacing={4}>
        {effectsOn(kind, effects).map((effect) => (
          <List.Item key={effect}>{effect}</List.Item>
        ))}
      </List>
      <Text>This can’t be undone.</Text>
    </Stack>
  );
}
