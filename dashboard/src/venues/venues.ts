import type { Venue } from '#service/features/insight/venues/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { getList } from '../api/queries.ts';

export type { Venue };
export type Folder = Venue['folders'][number];
export type Group = Folder['groups'][number];

export interface VenuesSearch {
  search?: string;
  page?: number;
}

/** A page of the venues, with all that is on them. */
export const venuesQuery = (account: { id: number }, { search, page }: VenuesSearch) =>
  getList<Paged<Venue>>(`/accounts/${account.id}/venues`, { search, page });

/** What the tree is made of, and where the admin API has it. */
export const paths = { venue: 'units', folder: 'folders', group: 'groups' } as const;
export type Kind = keyof typeof paths;

/** Something that is to be done to the tree, in a window of its own. */
export type Task = NameTask | ({ do: 'delete' } & Thing);
export type NameTask =
  | { do: 'create'; kind: 'venue' }
  | { do: 'create'; kind: 'folder'; venue: Venue }
  | { do: 'create'; kind: 'group'; venue: Venue; folder?: string }
  | ({ do: 'rename' } & Thing);
export interface Thing {
  kind: Kind;
  id: number;
  name: string;
}
