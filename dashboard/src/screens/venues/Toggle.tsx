import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Venues.module.css';

interface ToggleProps {
  name: string;
  icon?: ReactNode;
  open: boolean;
  /** The id of the element that it opens. */
  controls: string;
  onToggle: () => void;
}

/** The name of the element that it opens. */
export function Toggle({ name, icon, open, controls, onToggle }: ToggleProps) {
  return (
    <UnstyledButton className={classes.toggle} aria-expanded={open} aria-controls={controls} onClick={onToggle}>
      <IconChevronRight size={16} className={classes.chevron} aria-hidden />
      {icon}
      <span className={classes.name}>{name}</span>
    </UnstyledButton>
  );
}
