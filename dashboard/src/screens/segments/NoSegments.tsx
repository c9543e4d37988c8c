import { IconChartCircles } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccount, useHasRole } from '../../session/session.ts';
import { EmptyState } from '../../ui/States.tsx';
import { presetsQuery } from './paths.ts';
import classes from './Segments.module.css';

/** The empty state of the list. It offers the ready-made segments. */
export function NoSegments() {
  const account = useAccount();
  const mayChange = useHasRole('staff');
  const presets = useQuery({ ...presetsQuery(account), enabled: mayChange });
  return (
    <>
      <EmptyState title="No segments yet" icon={<IconChartCircles size={28} stroke={1.5} />}>
        {mayChange
          ? 'A segment is a set of guests, such as regulars of a venue. Start with one of these, or with your own conditions.'
          : 'A segment is a set of guests, such as regulars of a venue. Staff and owners add segments here.'}
      </EmptyState>
      {presets.data && (
        <ul className={classes.presets} aria-label="Ready-made segments">
          {presets.data.data.map(({ key, name, description }) => (
            <li key={key}>
              <Link
                to="/accounts/$accountId/segments/new"
                params={{ accountId: account.id }}
                search={{ preset: key }}
                className={classes.preset}
              >
                <b>{name}</b>
                <span>{description}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
