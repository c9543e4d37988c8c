import { Alert, List, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FolderEffects, GroupEffects, UnitEffects } from '#service/features/insight/venues/schema.ts';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { notify } from '../../ui/notify.ts';
import { effectsOn } from './effects.ts';
import { type Kind, paths, type TreeItem } from './venues.ts';

interface DeleteWindowProps {
  thing: TreeItem | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Confirms a deletion and shows its effects, as counted by the service. */
export function DeleteWindow({ thing, opened, onClose }: DeleteWindowProps) {
  const account = useAccount();
  const path = thing && `${account.path}/${paths[thing.kind]}/${thing.id}`;
  const effects = useQuery({
    // The key is outside of the account's path, because a refresh of that path would reload the effects of a deleted
    // item.
    queryKey: ['effects', path],
    queryFn: ({ signal }) => api.get<UnitEffects | FolderEffects | GroupEffects>(`${path}/effects`, {}, { signal }),
    enabled: opened,
    // Always count again, because counts change.
    gcTime: 0,
  });
  async function remove() {
    await api.delete(`${path}`);
    await refresh(account.path);
    notify.success(`${thing?.name} is deleted.`);
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
      {data && (data.refused ?? (thing && <EffectList kind={thing.kind} effects={data} />))}
    </Confirm>
  );
}

function EffectList({ kind, effects }: { kind: Kind; effects: UnitEffects | FolderEffects | GroupEffects }) {
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
