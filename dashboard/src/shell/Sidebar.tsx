import { Link, useRouterState } from '@tanstack/react-router';
import { useMenuAccount } from '../session/session.ts';
import { AccountSwitcher } from './AccountSwitcher.tsx';
import classes from './Sidebar.module.css';
import { sectionOf, sections } from './sections.ts';
import { UserMenu } from './UserMenu.tsx';

/** The menu: the account, its sections and the user. */
export function Sidebar() {
  const account = useMenuAccount();
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
                // aria-current marks the section. Without `exact`, the router would also mark Home, because every path
                // starts with it.
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
