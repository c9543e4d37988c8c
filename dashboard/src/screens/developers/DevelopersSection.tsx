import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useAccount } from '../../session/session.ts';
import classes from './DevelopersSection.module.css';

const parts = [
  { name: 'API access', to: '/accounts/$accountId/developers' },
  { name: 'Webhooks', to: '/accounts/$accountId/developers/webhooks' },
  { name: 'Event log', to: '/accounts/$accountId/developers/events' },
] as const;

/** The menu of the section above the open page. */
export function DevelopersSection() {
  const { id } = useAccount();
  const here = useRouterState({ select: ({ location }) => location.pathname.split('/')[4] });
  // The tokens belong to the first page.
  const current = parts.find(({ to }) => to.split('/')[4] === here) ?? parts[0];
  return (
    <>
      <nav aria-label="Developers" className={classes.nav}>
        <ul>
          {parts.map((part) => (
            <li key={part.to}>
              <Link
                to={part.to}
                params={{ accountId: id }}
                className={classes.link}
                // Without `exact`, the router would also mark the first page, because every path starts with it.
                activeOptions={{ exact: true }}
                aria-current={part === current ? 'page' : undefined}
              >
                {part.name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </>
  );
}
