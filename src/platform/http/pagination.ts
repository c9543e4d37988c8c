import type { Paged, Rows, Slice } from '../../shared/fields.ts';

export const perPage = 100;

/** The highest page for which (page - 1) * 100 is an exact number. */
const maxPage = 90_000_000_000_000;
/** A longer text is not a page number. */
const maxLength = 100;

/** Reads a page number. Any value other than an integer of 1 or more means the first page. */
export function pageNumber(raw: unknown): number {
  const value = Array.isArray(raw) ? raw.at(-1) : raw;
  const isWritten = typeof value === 'string' && value.length <= maxLength && /^\s*\+?\d+\s*$/.test(value);
  if (typeof value !== 'number' && !isWritten) return 1;
  const page = Number(value);
  return Number.isInteger(page) && page >= 1 ? Math.min(page, maxPage) : 1;
}

export function sliceOf(page: number): Slice {
  return { limit: perPage, offset: (page - 1) * perPage };
}

/** The pagination object of the partner API. `path` has no query. The page URLs keep the other query parameters of the request. */
export function paginated<T>(rows: Rows<T>, page: number, path: string, query: string): Paged<T> {
  const lastPage = Math.max(1, Math.ceil(rows.total / perPage));
  const others = new URLSearchParams(query);
  others.delete('page');
  const start = others.size === 0 ? `${path}?page=` : `${path}?${others}&page=`;
  const url = (to: number) => start + to;
  const first = (page - 1) * perPage + 1;
  const empty = rows.rows.length === 0;
  return {
    current_page: page,
    data: rows.rows,
    first_page_url: url(1),
    from: empty ? null : first,
    last_page: lastPage,
    last_page_url: url(lastPage),
    next_page_url: page < lastPage ? url(page + 1) : null,
    path,
    per_page: perPage,
    prev_page_url: page > 1 ? url(page - 1) : null,
    to: empty ? null : first + rows.rows.length - 1,
    total: rows.total,
  };
}
