import { Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconLogout, IconSelector, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useSession } from '../session/session.ts';
import { signOut } from '../session/sign-out.ts';
import classes from './Sidebar.module.css';

const schemes = [
  { value: 'auto', name: 'System' },
  { value: 'light', name: 'Light' },
  { value: 'dark', name: 'Dark' },
] as const;

/** The menu of the signed-in user: profile, colours, sign out. */
export function UserMenu() {
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
          <IconSelector size={16} className={classes.end} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/profile" leftSection={<IconUserCircle size={16} aria-hidden />}>
          Profile
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as typeof colorScheme)}>
          {schemes.map(({ value, name }) => (
            <Menu.RadioItem key={value} value={value} checkIcon={<IconCheck size={16} aria-hidden />}>
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
