import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';

interface RowMenuProps {
  /** The name of the row. */
  of: string;
  /** Renders the menu outside of its container, because a table that scrolls sideways would cut it off. */
  withinPortal?: boolean;
  /** `<Menu.Item>`s. */
  children: ReactNode;
}

/** The menu button of a table row. */
export function RowMenu({ of, withinPortal = true, children }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    // The portal is inside the main landmark, for accessibility.
    <Menu position="bottom-end" withinPortal={withinPortal} portalProps={{ target: '#main' }}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" size="lg" aria-label={`Change ${of}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      {/* A window returns the focus to the element that had it. The menu item is removed by then, so the button gets the focus first. */}
      <Menu.Dropdown onClickCapture={() => button.current?.focus({ preventScroll: true })}>{children}</Menu.Dropdown>
    </Menu>
  );
}
