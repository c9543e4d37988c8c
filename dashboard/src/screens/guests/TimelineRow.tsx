import { Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import type { TimelineEntry } from '#service/features/insight/timeline/schema.ts';
import { withCount } from '../../ui/format.ts';
import { Money, WallClock } from '../../ui/Values.tsx';
import { Bill, billOf } from './Bill.tsx';
import { FeedbackDetails } from './FeedbackDetails.tsx';
import classes from './Timeline.module.css';
import { kindText } from './timeline-kinds.ts';
import { entryText } from './timeline-text.ts';

/** One entry of the timeline. */
export function TimelineRow({ entry }: { entry: TimelineEntry }) {
  const { title, status, facts } = entryText(entry);
  const { icon: Icon } = kindText[entry.kind];
  return (
    <li className={classes.entry}>
      <span className={classes.icon}>
        <Icon size={16} stroke={1.75} aria-hidden />
      </span>
      <div className={classes.told}>
        <div className={classes.line}>
          <Group gap={6}>
            <Text fw={500}>{title}</Text>
            {status && <Badge color={status.color}>{status.text}</Badge>}
          </Group>
          <Text size="sm" c="dimmed">
            <WallClock at={entry.at} />
          </Text>
        </div>
        <div className={classes.line}>
          <span className={classes.facts}>{[entry.unit_name, ...facts].filter(Boolean).join(' · ')}</span>
          {entry.purchase && (
            <Text fw={500}>
              <Money value={entry.purchase.total} />
            </Text>
          )}
        </div>
        {entry.feedback && <FeedbackDetails feedback={entry.feedback} />}
        <Lines entry={entry} />
      </div>
    </li>
  );
}

/** The bill, loaded when it is opened. */
function Lines({ entry }: { entry: TimelineEntry }) {
  const [isOpen, { toggle }] = useDisclosure();
  const id = useId();
  const bill = billOf(entry);
  if (bill.length === 0) return null;
  return (
    <>
      <UnstyledButton className={classes.toggle} aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
        <IconChevronRight size={14} aria-hidden />
        {withCount(bill.length, 'item')}
      </UnstyledButton>
      <div id={id}>{isOpen && <Bill lines={bill} />}</div>
    </>
  );
}
