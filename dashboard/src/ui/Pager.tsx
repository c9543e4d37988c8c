import { Button, Group, Text } from '@mantine/core';
import type { Paged } from '#service/shared/fields.ts';
import { formatNumber } from './format.ts';
import classes from './Pager.module.css';

interface PagerProps {
  /** The response of the list: the twelve keys, or a page number and whether there are more pages. */
  of:
    | Pick<Paged<unknown>, 'current_page' | 'last_page' | 'from' | 'to' | 'total'>
    | { page: number; more: boolean }
    | undefined;
  onPage: (page: number) => void;
}

/** The position in a list of pages. Hidden if there is only one page. */
export function Pager({ of, onPage }: PagerProps) {
  if (!of) return null;
  const counted = 'total' in of;
  const page = counted ? of.current_page : of.page;
  const more = counted ? page < of.last_page : of.more;
  if (page === 1 && !more) return null;
  return (
    <nav aria-label="Pages" className={classes.pager}>
      <Text size="sm" c="dimmed" aria-live="polite">
        {counted && of.from !== null && of.to !== null
          ? `${formatNumber(of.from)}–${formatNumber(of.to)} of ${formatNumber(of.total)}`
          : `Page ${formatNumber(page)}`}
      </Text>
      <Group gap="xs">
        <Button variant="default" size="xs" disabled={page === 1} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <Button variant="default" size="xs" disabled={!more} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </Group>
    </nav>
  );
}

interface LoadMoreProps {
  more: boolean;
  loading: boolean;
  onMore: () => void;
  children?: string;
}

/** The button for the next page of a useInfiniteQuery. */
export function LoadMore({ more, loading, onMore, children = 'Show more' }: LoadMoreProps) {
  if (!more) return null;
  return (
    <div className={classes.more}>
      <Button variant="default" loading={loading} onClick={onMore}>
        {children}
      </Button>
    </div>
  );
}
