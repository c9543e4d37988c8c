import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';

interface RowMenuProps {
  /** What the row is called. */
  of: string;
  /** `<Menu.Item>`s. */
  children: ReactNode;
}

/** What can be done to a row of a table, behind one button. */
export function RowMenu({ of, children }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-end">
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
