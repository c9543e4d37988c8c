import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/CopyButton.tsx';
import classes from './CodeBlock.module.css';

interface CodeBlockProps {
  /** The name of the text, for the title and the copy button. */
  what: string;
  title?: ReactNode;
  children: string;
  /** Wraps long lines, for text that is read rather than pasted. */
  wrap?: boolean;
}

/** Code with a copy button. */
export function CodeBlock({ what, title, children, wrap = false }: CodeBlockProps) {
  return (
    <div className={classes.block} data-wrap={wrap || undefined}>
      <div className={classes.head}>
        <Text component="div" size="xs" c="dimmed">
          {title ?? <span style={{ textTransform: 'capitalize' }}>{what}</span>}
        </Text>
        <CopyButton value={children} what={what} size="compact-xs" variant="subtle" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <pre tabIndex={0}>{children}</pre>
    </div>
  );
}
