import { Link, useRouterState } from '@tanstack/react-router';
import { useShownAccount } from '../session/session.ts';
import { AccountSwitcher } from './AccountSwitcher.tsx';
import classes from './Sidebar.module.css';
import { sectionOf, sections } from './sections.ts';
import { UserMenu } from './UserMenu.tsx';

/** The account, its sections, and the user. */
export function Sidebar() {
  const account = useShownAccount();
  const here = useRouterState({ select: ({ location }) => sectionOf(location.pathname) });
  return (
    <nav aria-label="Main" className={classes.sidebar}>
      <AccountSwitcher />
      {account && (
        <ul className={classes.sections}>
          {sections.map(({ name, to, icon: Icon }) => (
            <li key={name}>
              <Link
                to={to}
                params={{ accountId: account.id }}
                className={classes.link}
                // Which one is current is ours to say: a guest is among the Guests, but not everything is in Home.
                activeOptions={{ exact: true }}
                aria-current={here?.name === name ? 'page' : undefined}
              >
                <Icon size={18} stroke={1.75} aria-hidden />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <UserMenu />
    </nav>
  );
}
