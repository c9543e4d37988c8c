import { Missing } from '../ui/Values.tsx';
import classes from './ConsentBadges.module.css';
import { type Flags, shownChannels } from './guest.ts';

/** The ways in which a guest may be spoken to; of the others nothing is said. Plain elements: a list has a hundred. */
export function ConsentBadges({ of }: { of: Flags }) {
  const given = shownChannels.filter(({ flag }) => of[flag]);
  if (given.length === 0) return <Missing />;
  return (
    <span className={classes.badges}>
      {given.map(({ channel, name }) => (
        <span key={channel} className={classes.badge}>
          {name}
        </span>
      ))}
    </span>
  );
}
