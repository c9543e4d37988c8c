import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { useMenuAccount, useSession } from '../session/session.ts';
import mark from './mark.svg';
import classes from './Sidebar.module.css';
import { sectionOf } from './sections.ts';

/** The search field appears from this number of accounts on. */
const minForSearch = 10;

/** The name of the account. With several accounts it is a menu that opens the same section of another one. */
export function AccountSwitcher() {
  const { accounts } = useSession();
  const current = useMenuAccount();
  const navigate = useNavigate();
  const here = useRouterState({ select: ({ location }) => sectionOf(location.pathname) });
  const [search, setSearch] = useState('');
  const name = (
    <>
      <img src={mark} alt="" width={22} height={22} />
      <Text component="span" fw={600} truncate>
        {current?.name ?? 'Regulars'}
      </Text>
    </>
  );
  if (accounts.length < 2) return <div className={classes.account}>{name}</div>;
  const shown = accounts.filter((account) => account.name.toLowerCase().includes(search.trim().toLowerCase()));
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
        {accounts.length >= minForSearch && (
          <Menu.Search
            placeholder="Find an account"
            aria-label="Find an account"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        )}
        <Menu.RadioGroup
          value={String(current?.id)}
          onChange={(id) =>
            void navigate({ to: here?.to ?? '/accounts/$accountId', params: { accountId: Number(id) } })
          }
        >
          {shown.map(({ id, name }) => (
            <Menu.RadioItem
              key={id}
              value={String(id)}
              closeMenuOnClick
              checkIcon={<IconCheck size={16} aria-hidden />}
            >
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
