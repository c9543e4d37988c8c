import { Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import {
  IconCheck,
  IconChevronDown,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useSession, useShownAccount } from '../session/session.ts';
import { signOut } from '../session/sign-out.ts';
import mark from './mark.svg';
import classes from './Sidebar.module.css';
import { sectionOf, sections } from './sections.ts';

/** The account, its sections, and the user. */
export function Sidebar() {
  const account = useShownAccount();
  const here = useRouterState({ select: ({ location }) => sectionOf(location.pathname) });
  return (
    <nav aria-label="Main" className={classes.sidebar}>
      <AccountSwitcher current={account} />
      {account && (
        <ul className={classes.sections}>
          {sections.map(({ name, to, icon: Icon }) => (
            <li key={name}>
              <Link
                to={to}
                params={{ accountId: account.id }}
                className={classes.link}
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

function AccountSwitcher({ current }: { current: { id: number; name: string } | undefined }) {
  const { accounts } = useSession();
  const navigate = useNavigate();
  const here = useRouterState({ select: ({ location }) => sectionOf(location.pathname) });
  const name = (
    <>
      <img src={mark} alt="" width={22} height={22} />
      <Text component="span" fw={600} truncate>
        {current?.name ?? 'Regulars'}
      </Text>
    </>
  );
  if (accounts.length < 2) return <div className={classes.account}>{name}</div>;
  return (
    <Menu width="target" position="bottom-start" withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className={classes.account}>
          <VisuallyHidden>Account: </VisuallyHidden>
          {name}
          <IconSelector size={16} className={classes.end} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
        {accounts.map(({ id, name }) => (
          <Menu.Item
            key={id}
            rightSection={id === current?.id && <IconCheck size={16} aria-label="current" />}
            onClick={() => void navigate({ to: here?.to ?? '/accounts/$accountId', params: { accountId: id } })}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const schemes = [
  { value: 'auto', name: 'Like the system', icon: IconDeviceDesktop },
  { value: 'light', name: 'Light', icon: IconSun },
  { value: 'dark', name: 'Dark', icon: IconMoon },
] as const;

function UserMenu() {
  const { user } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu width="target" position="top-start" withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className={classes.user}>
          <span className={classes.avatar} aria-hidden>
            {user.email.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes.who}>
            <Text component="span" size="sm" truncate display="block">
              {user.email}
            </Text>
            <Text component="span" size="xs" c="dimmed" display="block" tt="capitalize">
              {user.role}
            </Text>
          </span>
          <VisuallyHidden>Your menu</VisuallyHidden>
          <IconChevronDown size={16} className={classes.end} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/profile" leftSection={<IconUserCircle size={16} aria-hidden />}>
          Profile
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {schemes.map(({ value, name, icon: Icon }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={colorScheme === value && <IconCheck size={16} aria-hidden />}
            closeMenuOnClick={false}
            onClick={() => setColorScheme(value)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
