import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';

interface RowMenuProps {
  /** What the row is called. */
  of: string;
  /** Whether it may reach beyond what the row is in: a table that scrolls sideways would cut it off. */
  withinPortal?: boolean;
  /** `<Menu.Item>`s. */
  children: ReactNode;
}

/** What can be done to a row of a table, behind one button. */
export function RowMenu({ of, withinPortal = true, children }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    // A landmark is to hold it all the same.
    <Menu position="bottom-end" withinPortal={withinPortal} portalProps={{ target: '#main' }}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" size="lg" aria-label={`Change ${of}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      {/* A window that an entry opens gives the focus back to the button: the entry is gone by then. */}
      <Menu.Dropdown onClickCapture={() => button.current?.focus({ preventScroll: true })}>{children}</Menu.Dropdown>
    </Menu>
  );
}
