import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../ui/CopyButton.tsx';
import classes from './CodeBlock.module.css';

interface CodeBlockProps {
  /** What it is: above it, and on the button that copies it. */
  what: string;
  title?: ReactNode;
  children: string;
  /** Long lines are broken: for what is read rather than pasted. */
  wrap?: boolean;
}

/** Text for a machine, with a button that copies it. */
export function CodeBlock({ what, title, children, wrap = false }: CodeBlockProps) {
  return (
    <div className={classes.block} data-wrap={wrap || undefined}>
      <div className={classes.head}>
        <Text component="div" size="xs" c="dimmed">
          {title ?? <span style={{ textTransform: 'capitalize' }}>{what}</span>}
        </Text>
        <CopyButton value={children} what={what} size="compact-xs" variant="subtle" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre tabIndex={0}>{children}</pre>
    </div>
  );
}
