import { Button, Skeleton, Stack, Text } from '@mantine/core';
import type { Preview } from '#service/features/insight/segments/schema.ts';
import type { Definition } from '#service/shared/segment-fields.ts';
import { useAccount } from '../../session/session.ts';
import { formatNumber } from '../../ui/format.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ShareBar } from '../../ui/ShareBar.tsx';
import { guestName, shownChannels } from '../guests/guest.ts';
import classes from './Builder.module.css';
import { namesFrom } from './names.ts';
import type { usePreview } from './preview.ts';
import { sentenceOf } from './sentence.ts';
import { reachWords } from './words.ts';

interface PreviewPanelProps {
  of: ReturnType<typeof usePreview>;
  /** Undefined: a condition is not complete. */
  definition: Definition | undefined;
  /** Whether a change is not counted yet. */
  isWaiting: boolean;
  choices: Parameters<typeof namesFrom>[0];
  /** Whether the error is shown at a condition. */
  hasPlace: boolean;
}

/** The number of guests, how many can be reached, and some of them. */
export function PreviewPanel({ of: preview, definition, isWaiting, choices, hasPlace }: PreviewPanelProps) {
  const { data, error } = preview;
  const isStale = isWaiting || preview.isStale || preview.isLoading;
  return (
    <Panel title="Guests that fit">
      <Stack gap="md" className={classes.preview} data-stale={isStale || undefined} aria-busy={isStale}>
        <Text c="dimmed" size="sm">
          {definition ? sentenceOf(definition, namesFrom(choices)) : 'Complete every condition to see who fits.'}
        </Text>
        {error && (
          <Text c="red" size="sm" role={hasPlace ? undefined : 'alert'}>
            {hasPlace ? 'A condition is not valid. See the message beside it.' : error.message}{' '}
            {error.status !== 422 && (
              <Button variant="default" size="xs" onClick={() => void preview.retry()}>
                Try again
              </Button>
            )}
          </Text>
        )}
        {data ? (
          <Result of={data} isOld={definition === undefined || error !== null} />
        ) : (
          definition && !error && <Skeleton height="2rem" width="60%" />
        )}
      </Stack>
    </Panel>
  );
}

interface ResultProps {
  of: Preview;
  /** Whether the conditions have changed since, and the new ones cannot be counted. */
  isOld: boolean;
}

function Result({ of: { count, contactable, sample }, isOld }: ResultProps) {
  const { id: accountId } = useAccount();
  return (
    <>
      <div role="status">
        <span className={classes.count}>{formatNumber(count)}</span> {count === 1 ? 'guest' : 'guests'}
      </div>
      {isOld && (
        <Text size="sm" c="dimmed" mt={-12}>
          Before the last change
        </Text>
      )}
      <dl className={classes.reach}>
        {shownChannels.map(({ channel }) => (
          <div key={channel}>
            <dt>{reachWords[channel]}</dt>
            <dd>
              <ShareBar part={contactable[channel]} of={count} />
            </dd>
          </div>
        ))}
      </dl>
      {sample.length > 0 && (
        <div>
          <Text size="sm" c="dimmed">
            {sample.length === count ? 'These guests' : 'Some of them'}
          </Text>
          <ul className={classes.sample} aria-label="Sample of guests">
            {sample.map((guest) => (
              <li key={guest.id}>
                <TextLink to="/accounts/$accountId/guests/$contactId" params={{ accountId, contactId: guest.id }}>
                  {guestName(guest)}
                </TextLink>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
