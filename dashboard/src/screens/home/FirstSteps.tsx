import { Code, Group, Text } from '@mantine/core';
import { useAccount, useHasRole } from '../../session/session.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import classes from './Home.module.css';

/** The first steps for an account without data. */
export function FirstSteps() {
  const { id } = useAccount();
  const [isOwner, isStaff] = [useHasRole('owner'), useHasRole('staff')];
  const params = { accountId: id };
  const request = [
    `curl ${window.location.origin}/v1/contact \\`,
    "  -H 'Authorization: Bearer YOUR_TOKEN' \\",
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"account_id": ${id}, "first_name": "Ana", "email": "ana@gmail.com"}'`,
  ].join('\n');
  return (
    <Panel
      title="No guests yet"
      lead="Your tills, booking platforms and wifi portals send guests here. Start with these three steps:"
    >
      <ol className={classes.steps}>
        <li>
          <h3>Add your venues</h3>
          <Text c="dimmed">
            Each place that guests visit is a venue. {isStaff ? 'Add them' : 'Staff add them'} under{' '}
            <TextLink to="/accounts/$accountId/venues" params={params} underline="always">
              Venues
            </TextLink>
            . Until then, guests belong to the whole account.
          </Text>
        </li>
        <li>
          <h3>Create a token</h3>
          <Text c="dimmed">
            Each system that sends guests needs a token. {isOwner ? 'Create it' : 'An owner creates it'} under{' '}
            <TextLink to="/accounts/$accountId/developers" params={params} underline="always">
              Developers
            </TextLink>
            .
          </Text>
        </li>
        <li>
          <Group justify="space-between" gap="xs" mb="xs">
            <h3>Send the first guest</h3>
            <CopyButton value={request} what="request" />
          </Group>
          <Code block tabIndex={0} role="region" aria-label="Request">
            {request}
          </Code>
        </li>
      </ol>
      <Text c="dimmed">This page updates itself when the first guest arrives.</Text>
    </Panel>
  );
}
