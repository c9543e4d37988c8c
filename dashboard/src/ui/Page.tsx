import { Anchor, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { createLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './Page.module.css';

/** The kit's link as one of the router's: `<TextLink to="/accounts/$accountId/guests" params={…}>`. */
export const TextLink = createLink(Anchor<'a'>);

interface PageProps {
  /** The one h1, and the document's title. */
  title: string;
  /** Beside the title, in place of it for the eye only: a badge, say. */
  beside?: ReactNode;
  /** One sentence under the title. */
  lead?: ReactNode;
  /** The way here: `<TextLink …>Guests</TextLink>`, without the page itself. */
  breadcrumbs?: ReactNode[];
  /** Buttons; they move under the title where there is no room. */
  actions?: ReactNode;
  /** Text to be read rather than lists: a narrower column. */
  narrow?: boolean;
  children: ReactNode;
}

export function Page({ title, beside, lead, breadcrumbs = [], actions, narrow = false, children }: PageProps) {
  useDocumentTitle(`${title} · Regulars`);
  return (
    <div className={classes.page} data-narrow={narrow || undefined}>
      {breadcrumbs.length > 0 && (
        <nav aria-label="Breadcrumb" className={classes.breadcrumbs}>
          <ol>
            {breadcrumbs.map((crumb, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the way here never changes its order
              <li key={index}>{crumb}</li>
            ))}
          </ol>
        </nav>
      )}
      <div className={classes.head}>
        <div className={classes.titles}>
          <Group gap="xs" wrap="nowrap">
            {/* Focused when one arrives, so that a screen reader says where. */}
            <Title order={1} tabIndex={-1} className={classes.title}>
              {title}
            </Title>
            {beside}
          </Group>
          {lead && (
            <Text c="dimmed" mt={2}>
              {lead}
            </Text>
          )}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}
