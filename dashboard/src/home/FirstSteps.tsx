import { Code, Group, Text } from '@mantine/core';
import { useAccount, useMay } from '../session/session.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { TextLink } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import classes from './Home.module.css';

/** An account that nobody has sent anything to: what brings it to life. */
export function FirstSteps() {
  const { id } = useAccount();
  const [isOwner, isStaff] = [useMay('owner'), useMay('staff')];
  const params = { accountId: id };
  const request = [
    `curl ${window.location.origin}/v1/contact \\`,
    "  -H 'Authorization: Bearer YOUR_TOKEN' \\",
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"account_id": ${id}, "first_name": "Ana", "email": "ana@gmail.com"}'`,
  ].join('\n');
  return (
    <Panel
      title="Nobody is here yet"
      lead="Guests arrive from your tills, booking platforms and wifi portals. Three steps to the first one:"
    >
      <ol className={classes.steps}>
        <li>
          <h3>Name your venues</h3>
          <Text c="dimmed">
            Each place that guests visit is one. {isStaff ? 'Add them' : 'Staff add them'} under{' '}
            <TextLink to="/accounts/$accountId/venues" params={params} underline="always">
              Venues
            </TextLink>
            ; until then, everything belongs to the account as a whole.
          </Text>
        </li>
        <li>
          <h3>Make a token</h3>
          <Text c="dimmed">
            Whatever sends guests signs in with one. {isOwner ? 'Make it' : 'An owner makes it'} under{' '}
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
      <Text c="dimmed">As soon as the first guest is there, so are the figures: this page looks by itself.</Text>
    </Panel>
  );
}
