import { Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import { memo } from 'react';
import type { Event } from '#service/features/exchange/events/schema.ts';
import { ExactTime } from '../../../ui/Values.tsx';
import { CodeBlock } from '../CodeBlock.tsx';
import { EventGuest } from './EventGuest.tsx';
import classes from './EventLog.module.css';
import { eventName } from './event-types.ts';
import { summaryOf } from './summary.ts';

/** An event in one line, which opens its JSON. */
export const EventRow = memo(function EventRow({ event }: { event: Event }) {
  const [isOpen, { toggle }] = useDisclosure();
  const id = useId();
  return (
    <li className={classes.event}>
      <div className={classes.line}>
        <UnstyledButton className={classes.toggle} aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
          <IconChevronRight size={14} aria-hidden />
          <span className={classes.time}>
            <ExactTime at={event.timestamp} />
          </span>
          <span className={classes.name}>{eventName(event.type)}</span>
          <Text component="span" size="sm" c="dimmed" className={classes.summary}>
            {summaryOf(event.data)}
          </Text>
        </UnstyledButton>
        <span className={classes.guest}>
          <EventGuest event={event} />
        </span>
      </div>
      <div id={id}>
        {isOpen && (
          <div className={classes.json}>
            <CodeBlock what="JSON" title={event.type} wrap>
              {JSON.stringify(event, null, 2)}
            </CodeBlock>
          </div>
        )}
      </div>
    </li>
  );
});
