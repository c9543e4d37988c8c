import { Button, Code, Group, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import type { LoggedRequest } from '#service/features/access/requests/schema.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { useDeferred } from '../../ui/deferred.ts';
import { formatNumber } from '../../ui/format.ts';
import { LoadMore } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { ExactTime, Missing } from '../../ui/Values.tsx';
import classes from './RequestLog.module.css';
import { useRequestLog } from './request-log.ts';
import { StatusBadge } from './StatusBadge.tsx';
import { useStableScroll } from './stable-scroll.ts';

/** The requests of a token, live. */
export function RequestLog({ path }: { path: string }) {
  const [isPaused, setPaused] = useState(false);
  const { read, more } = useRequestLog(`${path}/requests`, isPaused);
  const rows = useDeferred(read.data?.data);
  const scroll = useStableScroll(rows?.[0]?.id);
  return (
    <Panel
      title="Requests"
      lead={
        <span aria-live="polite">
          {isPaused
            ? 'Paused. New requests appear when you resume.'
            : 'Live. Shows the last 7 days. The values that were sent are not stored.'}
        </span>
      }
      flush
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={isPaused ? <IconPlayerPlay size={14} aria-hidden /> : <IconPlayerPause size={14} aria-hidden />}
          onClick={() => {
            setPaused(!isPaused);
            if (isPaused) void read.refetch();
          }}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <div ref={scroll} className={classes.scroll} tabIndex={0}>
        <DataTable
          label="Requests"
          rows={rows}
          error={read.error}
          onRetry={read.refetch}
          rowKey={({ id }) => id}
          empty={
            <EmptyState title="No requests in the last 7 days">
              A request with this token appears here about a second after its response.
            </EmptyState>
          }
          columns={[
            {
              title: 'Request',
              render: ({ method, route }) => (
                <span className={classes.route}>
                  <span className={classes.method}>{method}</span>
                  {route === 'unmatched' ? 'unknown path' : route}
                </span>
              ),
            },
            { title: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
            { title: 'Fields', width: '40%', render: (entry) => <Fields entry={entry} /> },
            { title: 'From', oneLine: true, render: ({ address }) => address ?? <Missing /> },
            { title: 'Took', align: 'end', render: ({ duration_ms }) => formatDuration(duration_ms) },
            { title: 'Time', align: 'end', render: ({ at }) => <ExactTime at={at} /> },
          ]}
        />
        <LoadMore
          more={typeof read.data?.next_before === 'number'}
          loading={more.isPending}
          onMore={() => more.mutate()}
        />
      </div>
    </Panel>
  );
}

/** The invalid and the discarded fields. */
function Fields({ entry: { error_fields, discarded_fields } }: { entry: LoggedRequest }) {
  if (error_fields.length + discarded_fields.length === 0) return <Missing />;
  return (
    <Group gap={4} className={classes.fields}>
      {error_fields.length > 0 && (
        <Text size="sm" component="span">
          Invalid:
        </Text>
      )}
      {error_fields.map((field) => (
        <Code key={field}>{field}</Code>
      ))}
      {discarded_fields.length > 0 && (
        <Text size="sm" component="span">
          Discarded:
        </Text>
      )}
      {discarded_fields.map((field) => (
        <Code key={field}>{field}</Code>
      ))}
    </Group>
  );
}

const formatDuration = (ms: number) => (ms < 1 ? '<1 ms' : `${formatNumber(Math.round(ms))} ms`);
