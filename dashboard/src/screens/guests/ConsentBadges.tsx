import { Missing } from '../../ui/Values.tsx';
import classes from './ConsentBadges.module.css';
import { type Flags, shownChannels } from './guest.ts';

/** The channels that a guest allows. Plain elements are faster than Mantine's, and a list has a hundred rows. */
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
