import { Group, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { withCount } from '../../../ui/format.ts';
import { Stat, Stats } from '../../../ui/Stat.tsx';
import { DateTime, Missing, Num } from '../../../ui/Values.tsx';
import { eventName } from '../events/event-types.ts';
import classes from './Webhooks.module.css';
import { formatMs, rateText } from './words.ts';

/** The health and the settings of a webhook. */
export function WebhookFacts({ of: webhook }: { of: Webhook | undefined }) {
  const health = webhook?.health;
  const loading = health === undefined;
  return (
    <Stack>
      <Stats most={4}>
        <Stat
          label="Success rate"
          loading={loading}
          value={health && health.success_rate !== null ? rateText(health.success_rate) : <Missing />}
          note="Last 24 hours"
        />
        <Stat
          label="Attempts"
          loading={loading}
          value={health && <Num value={health.succeeded + health.failed} />}
          note={health && health.failed > 0 ? withCount(health.failed, 'failure') : 'Last 24 hours'}
        />
        <Stat
          label="Average answer"
          loading={loading}
          value={health && health.average_ms !== null ? formatMs(health.average_ms) : <Missing />}
          note="Last 24 hours"
        />
        <Stat
          label="Waiting"
          loading={loading}
          value={health && <Num value={health.pending} />}
          note="Events not delivered yet"
        />
      </Stats>
      <dl className={classes.facts}>
        <Fact label="URL">
          {webhook && (
            <Group gap={4} component="span">
              <span>{webhook.url}</span>
              <CopyButton value={webhook.url} what="URL" size="compact-xs" variant="subtle" />
            </Group>
          )}
        </Fact>
        <Fact label="Gets">
          {webhook && (webhook.types.includes('*') ? 'All events' : webhook.types.map(eventName).join(', '))}
        </Fact>
        <Fact label="Created">{webhook && <DateTime at={webhook.created_at} dayOnly />}</Fact>
      </dl>
    </Stack>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <dd>{children ?? <Skeleton height="0.75rem" my="0.25rem" width="60%" />}</dd>
    </div>
  );
}
