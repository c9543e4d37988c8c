import { Alert, List, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FolderEffects, GroupEffects, UnitEffects } from '#service/venues/schema.ts';
import { api } from '../api/client.ts';
import { get, refresh } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { say } from '../ui/say.ts';
import { effectsOn } from './effects.ts';
import { type Kind, kinds } from './venues.ts';

interface DeleteWindowProps {
  kind: Kind;
  id: number;
  name: string;
  opened: boolean;
  onClose: () => void;
}

/** Says what goes and what stays, as the service counts it at this moment. */
export function DeleteWindow({ kind, id, name, opened, onClose }: DeleteWindowProps) {
  const account = useAccount();
  const path = `${account.path}/${kinds[kind].path}/${id}`;
  const effects = useQuery({
    ...get<UnitEffects | FolderEffects | GroupEffects>(`${path}/effects`),
    enabled: opened,
    // What deleting something else would affect must never be seen here, nor what was counted a while ago.
    placeholderData: undefined,
    gcTime: 0,
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${name}?`}
      action={`Delete ${kind}`}
      danger
      disabled={effects.data?.refused !== null}
      onConfirm={async () => {
        await api.delete(path);
        await refresh(account.path);
        say.done(`${name} is deleted.`);
      }}
    >
      {effects.error && <Alert color="red">{effects.error.message}</Alert>}
      {effects.isPending && (
        <Stack gap="xs" aria-busy>
          <Skeleton height="0.75rem" width="90%" />
          <Skeleton height="0.75rem" width="70%" />
        </Stack>
      )}
      {effects.data &&
        (effects.data.refused !== null ? (
          <Text>{effects.data.refused}</Text>
        ) : (
          <Told {...{ kind }} effects={effects.data} />
        ))}
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
