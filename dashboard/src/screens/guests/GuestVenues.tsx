import { Badge, Group, Stack, Text } from '@mantine/core';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import { useAccount } from '../../session/session.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';

/** The venues and groups of a guest. Each links to its guests. */
export function GuestVenues({ guest: { units } }: { guest: StaffContact }) {
  const { id: accountId } = useAccount();
  const all = { to: '/accounts/$accountId/guests', params: { accountId } } as const;
  return (
    <Panel title="Venues and groups">
      <Stack gap="xs">
        {units.length === 0 && <Text c="dimmed">None.</Text>}
        {units.map((unit) => (
          <div key={unit.id}>
            <TextLink {...all} search={{ unit_id: unit.id }}>
              {unit.name}
            </TextLink>
            {unit.groups.length > 0 && (
              <Group gap={4} mt={2}>
                {unit.groups.map((group) => (
                  <TextLink key={group.id} {...all} search={{ unit_id: unit.id, group_id: group.id }}>
                    <Badge color="gray" style={{ cursor: 'pointer' }}>
                      {group.name}
                    </Badge>
                  </TextLink>
                ))}
              </Group>
            )}
          </div>
        ))}
      </Stack>
    </Panel>
  );
}
