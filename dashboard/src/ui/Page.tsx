import { Anchor, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { createLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './Page.module.css';

/** A Mantine link with the router's props: `<TextLink to="/accounts/$accountId/guests" params={…}>`. */
export const TextLink = createLink(Anchor<'a'>);

interface PageProps {
  /** The h1 and the document's title. */
  title: string;
  /** Visible content instead of the title, such as the title with a badge. */
  beside?: ReactNode;
  /** One sentence under the title. */
  lead?: ReactNode;
  /** The breadcrumbs without the page itself: `<TextLink …>Guests</TextLink>`. */
  breadcrumbs?: ReactNode[];
  /** Buttons. They move below the title on narrow screens. */
  actions?: ReactNode;
  /** A narrower column, for text. */
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
              // biome-ignore lint/suspicious/noArrayIndexKey: the order of breadcrumbs is fixed
              <li key={index}>{crumb}</li>
            ))}
          </ol>
        </nav>
      )}
      <div className={classes.head}>
        <div className={classes.titles}>
          <Group gap="xs" wrap="nowrap">
            {/* Focused after navigation, so that a screen reader reads the title. */}
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
