import { Badge, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Explanation } from '#service/features/activity/purchases/schema.ts';
import { get } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { TextLink } from '../../ui/Page.tsx';
import { ErrorState } from '../../ui/States.tsx';
import { Money, WallClock } from '../../ui/Values.tsx';
import { matchKeyText } from './match-keys.ts';
import classes from './PurchaseExplanation.module.css';
import { totalOf } from './purchase-total.ts';

/** Explains the match of a purchase: the keys tried, their results, and what would match it. */
export function PurchaseExplanation({ id }: { id: number }) {
  const { path } = useAccount();
  const { data, error, refetch } = useQuery(get<Explanation>(`${path}/purchases/${id}/explanation`));
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (!data)
    return (
      <Stack aria-busy>
        <Skeleton height="3rem" />
        <Skeleton height="8rem" />
        <Skeleton height="8rem" />
      </Stack>
    );
  return (
    <Stack gap="lg">
      <Text>{data.summary}</Text>
      <Bill purchase={data.purchase} />
      <KeyResults keys={data.keys} />
      {data.candidates.length > 0 && <Candidates of={data} />}
    </Stack>
  );
}

function Bill({ purchase }: { purchase: Explanation['purchase'] }) {
  const { transaction_reference, unit_name, transaction_date, transaction_lines } = purchase;
  return (
    <section aria-label="The purchase">
      <Group justify="space-between" gap="xs">
        <Title order={3}>{transaction_reference}</Title>
        <Text c="dimmed">
          {unit_name}, <WallClock at={transaction_date} />
        </Text>
      </Group>
      <ul className={classes.lines}>
        {transaction_lines.map(({ id, description, quantity, value }) => (
          <li key={id}>
            <span>
              {quantity} × {description}
            </span>
            <Money value={value} />
          </li>
        ))}
        <li className={classes.total}>
          <span>Total</span>
          <Money value={totalOf(purchase)} />
        </li>
      </ul>
    </section>
  );
}

const outcomes = {
  matched: { name: 'Matched', color: 'green' },
  not_needed: { name: 'Not needed', color: 'gray' },
  no_contact: { name: 'No guest found', color: 'yellow' },
} as const;

function KeyResults({ keys }: Pick<Explanation, 'keys'>) {
  return (
    <section>
      <Title order={3}>Keys tried, in this order</Title>
      <ol className={classes.steps}>
        {keys.map(({ key, value, outcome, reason, contact_id }) => (
          <li key={key}>
            <Group justify="space-between" gap="xs">
              <Text fw={500}>
                {matchKeyText[key].name} {value}
              </Text>
              <Badge color={outcomes[outcome].color}>{outcomes[outcome].name}</Badge>
            </Group>
            <Text>
              {reason} {contact_id && <Guest id={contact_id} />}
            </Text>
            {outcome === 'no_contact' && <Text c="dimmed">{matchKeyText[key].wanted}</Text>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Candidates({ of: { candidates, purchase } }: { of: Explanation }) {
  return (
    <section>
      <Title order={3}>Bookings at {purchase.unit_name} around that time</Title>
      <ol className={classes.steps}>
        {candidates.map(({ booking_id, booking_reference, contact_id, party_datetime, table_numbers, ...found }) => (
          <li key={booking_id}>
            <Group justify="space-between" gap="xs">
              <Text fw={500}>{booking_reference}</Text>
              {found.chosen && <Badge color="green">Chosen</Badge>}
            </Group>
            <Text>
              <WallClock at={party_datetime} />,{' '}
              {table_numbers.length > 0 ? `table ${table_numbers.join(', ')}` : 'no table'}. <Guest id={contact_id} />
            </Text>
            {found.turned_down.length > 0 && <Text c="dimmed">{found.turned_down.join(' ')}</Text>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Guest({ id }: { id: number }) {
  const { id: accountId } = useAccount();
  return (
    <TextLink to="/accounts/$accountId/guests/$contactId" params={{ accountId, contactId: id }}>
      Open guest {id}
    </TextLink>
  );
}
