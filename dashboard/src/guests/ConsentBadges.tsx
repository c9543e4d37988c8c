import { Badge, Group } from '@mantine/core';
import { Missing } from '../ui/Values.tsx';
import { channels, type Flags } from './guest.ts';

/** The ways in which a guest may be spoken to; of the others nothing is said. */
export function ConsentBadges({ of }: { of: Flags }) {
  const given = channels.filter(({ flag }) => of[flag]);
  if (given.length === 0) return <Missing />;
  return (
    <Group gap={4} component="span">
      {given.map(({ channel, name }) => (
        <Badge key={channel} color="green" flex="none">
          {name}
        </Badge>
      ))}
    </Group>
  );
}
