import type { Venue } from '#service/features/insight/venues/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { getList } from '../../api/queries.ts';

export type { Venue };
export type Folder = Venue['folders'][number];
export type Group = Folder['groups'][number];

export interface VenuesSearch {
  search?: string;
  page?: number;
}

/** A page of venues with their folders and groups. */
export const venuesQuery = (account: { id: number }, { search, page }: VenuesSearch) =>
  getList<Paged<Venue>>(`/accounts/${account.id}/venues`, { search, page });

/** The kinds of rows in the tree, with their paths in the admin API. */
export const paths = { venue: 'units', folder: 'folders', group: 'groups' } as const;
export type Kind = keyof typeof paths;

/** An action on the tree that opens a window. */
export type Task = NameTask | ({ do: 'delete' } & TreeItem);
export type NameTask =
  | { do: 'create'; kind: 'venue' }
  | { do: 'create'; kind: 'folder'; venue: Venue }
  | { do: 'create'; kind: 'group'; venue: Venue; folder?: string }
  | ({ do: 'rename' } & TreeItem);
export interface TreeItem {
  kind: Kind;
  id: number;
  name: string;
}
