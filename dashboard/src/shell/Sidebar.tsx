import {
  type MantineColorScheme,
  Menu,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
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
import { Link, useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { lastAccount } from '../session/last-account.ts';
import { useSession } from '../session/session.ts';
import { signOut } from '../session/sign-out.ts';
import mark from './mark.svg';
import classes from './Sidebar.module.css';
import { sectionOf, sections } from './sections.ts';

/** The account, its sections, and the user. */
export function Sidebar() {
  const { accounts } = useSession();
  const { accountId = lastAccount.read() } = useParams({ strict: false });
  const here = useRouterState({ select: ({ location }) => sectionOf(location.pathname) });
  const onProfile = useRouterState({ select: ({ location }) => !location.pathname.startsWith('/accounts/') });
  const account = accounts.find(({ id }) => id === accountId) ?? accounts[0];
  return (
    <div className={classes.sidebar}>
      <AccountSwitcher current={account} />
      {account && (
        <nav aria-label="Main" className={classes.nav}>
          <ul>
            {sections.map(({ name, to, icon: Icon }) => (
              <li key={name}>
                <Link
                  to={to}
                  params={{ accountId: account.id }}
                  className={classes.link}
                  // By itself every section would count as one of Home's.
                  activeOptions={{ exact: true, includeSearch: false }}
                  activeProps={{}}
                  aria-current={!onProfile && here?.name === name ? 'page' : undefined}
                >
                  <Icon size={18} stroke={1.75} aria-hidden />
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <UserMenu />
    </div>
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
    <Menu width="target" position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={classes.account} aria-label={`Account: ${current?.name}. Change`}>
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
    <Menu width="target" position="top-start">
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
              <VisuallyHidden>. Your menu</VisuallyHidden>
            </Text>
          </span>
          <IconChevronDown size={16} className={classes.end} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/profile" leftSection={<IconUserCircle size={16} aria-hidden />}>
          Profile
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          {schemes.map(({ value, name, icon: Icon }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<Icon size={16} aria-hidden />}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
