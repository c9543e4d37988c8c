import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useAccount, useHasRole } from '../../session/session.ts';
import classes from './SettingsPage.module.css';

const parts = [
  { name: 'Account', to: '/accounts/$accountId/settings/account' },
  { name: 'Users', to: '/accounts/$accountId/settings/users', ownersOnly: true },
  { name: 'User-defined fields', to: '/accounts/$accountId/settings/udfs' },
  { name: 'Sources', to: '/accounts/$accountId/settings/sources' },
  { name: 'Providers', to: '/accounts/$accountId/settings/providers' },
  { name: 'Feedback categories', to: '/accounts/$accountId/settings/feedback-categories' },
  { name: 'Booking sources', to: '/accounts/$accountId/settings/booking-sources' },
  { name: 'Waiting purchases', to: '/accounts/$accountId/settings/waiting-purchases' },
  { name: 'E-mail domains', to: '/accounts/$accountId/settings/email-domains', ownersOnly: true },
  { name: 'Audit trail', to: '/accounts/$accountId/settings/audit', ownersOnly: true },
] as const;

/** The menu of the settings beside the open part. The part has the page's title. */
export function SettingsPage() {
  const { id } = useAccount();
  const isOwner = useHasRole('owner');
  const shown = parts.filter((part) => isOwner || !('ownersOnly' in part));
  const nav = useRef<HTMLElement>(null);
  const here = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path decides which item is current
  useEffect(() => {
    // Scroll the open item into view if the menu is a scrolling row. Elsewhere skip the measuring, which takes time.
    if (!window.matchMedia('(max-width: 62em)').matches) return;
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && current) nav.current.scrollLeft = current.offsetLeft - nav.current.clientWidth / 3;
  }, [here]);
  return (
    <div className={classes.settings}>
      <nav ref={nav} aria-label="Settings" className={classes.nav}>
        <ul>
          {shown.map(({ name, to }) => (
            <li key={to}>
              <Link to={to} params={{ accountId: id }} className={classes.link}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className={classes.part}>
        <Outlet />
      </div>
    </div>
  );
}
