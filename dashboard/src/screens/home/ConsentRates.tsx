import { Progress, Skeleton, Text } from '@mantine/core';
import { useAccount } from '../../session/session.ts';
import { formatNumber, formatPercent } from '../../ui/format.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { shownChannels } from '../guests/guest.ts';
import classes from './Home.module.css';
import type { Overview } from './overview.ts';

/** The share of guests who allow each channel. Each links to those guests. */
export function ConsentRates({ overview, unitId }: { overview: Overview | undefined; unitId: number | undefined }) {
  const { id } = useAccount();
  const consent = overview?.consent;
  const guests = consent?.guests ?? 0;
  return (
    <Panel title="Consent" lead="Share of all current guests.">
      {consent && guests === 0 ? (
        <Text c="dimmed">No guests yet.</Text>
      ) : (
        <ul className={classes.rates}>
          {shownChannels.map(({ channel, flag, name }) => {
            const given = consent?.[flag] ?? 0;
            return (
              <li key={channel}>
                <TextLink
                  to="/accounts/$accountId/guests"
                  params={{ accountId: id }}
                  search={{ consent: channel, unit_id: unitId }}
                  c="inherit"
                >
                  {name}
                </TextLink>
                {consent ? (
                  <span>
                    <Text component="span" inherit c="dimmed">
                      {formatNumber(given)} of {formatNumber(guests)}
                    </Text>{' '}
                    <b>{formatPercent(given / guests)}</b>
                  </span>
                ) : (
                  <Skeleton height="0.75rem" width="6rem" my="0.28rem" />
                )}
                <Progress value={(100 * given) / Math.max(guests, 1)} color="var(--series-1)" aria-hidden />
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}
