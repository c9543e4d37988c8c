import { Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './Panel.module.css';

interface PanelProps {
  /** The h2. Without it the panel is only a frame. */
  title?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** Removes the padding, so that tables reach the edge. */
  flush?: boolean;
  children: ReactNode;
}

/** A section of a page with a frame. */
export function Panel({ title, lead, actions, flush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={title ? id : undefined}>
      {(title || actions) && (
        <div className={classes.head}>
          <div>
            {title && (
              <Title order={2} id={id}>
                {title}
              </Title>
            )}
            {lead && (
              <Text c="dimmed" size="sm">
                {lead}
              </Text>
            )}
          </div>
          {actions && <div className={classes.actions}>{actions}</div>}
        </div>
      )}
      <div className={classes.body} data-flush={flush || undefined}>
        {children}
      </div>
    </section>
  );
}
