import { ActionIcon, Drawer, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMenu2 } from '@tabler/icons-react';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMenuAccount } from '../session/session.ts';
import mark from './mark.svg';
import classes from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { useShortcuts } from './shortcuts.ts';

/** The frame around every page, with the menu. */
export function Shell() {
  const [menuOpened, menu] = useDisclosure();
  useShortcuts();
  useFocusAfterNavigation(menu.close);
  const account = useMenuAccount();
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <div className={classes.side}>
        <Sidebar />
      </div>
      <nav aria-label="Menu" className={classes.top}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Menu"
          aria-expanded={menuOpened}
          onClick={menu.open}
        >
          <IconMenu2 size={20} aria-hidden />
        </ActionIcon>
        <img src={mark} alt="" width={22} height={22} />
        <Text fw={600} truncate>
          {account?.name ?? 'Regulars'}
        </Text>
      </nav>
      <Drawer
        opened={menuOpened}
        onClose={menu.close}
        size={280}
        padding={0}
        title="Menu"
        classNames={{ header: classes.drawerHead, body: classes.drawerBody }}
      >
        <Sidebar />
      </Drawer>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
    </div>
  );
}

/** After navigation, moves the focus to the page title, unless the focus is already in the page. */
function useFocusAfterNavigation(act: () => void): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return;
        act();
        if (!document.querySelector('main')?.contains(document.activeElement))
          document.querySelector('h1')?.focus({ preventScroll: true });
      }),
    [router, act],
  );
}
