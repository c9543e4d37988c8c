import { channels, flagOf } from '../../../shared/codes.ts';
import { recordOf } from '../../../shared/record.ts';
import { type Contact, profileFields } from './schema.ts';
import type { ContactRow, Details } from './store.ts';

type Parts = Pick<Details, 'units' | 'groups' | 'udfs'>;

/** The card reference is shown to staff only. */
const texts = [...profileFields.filter((name) => name !== 'card_reference'), 'source_id' as const];

/** A template with all fields. Copying it is much faster than adding fields one by one. */
const blank: Contact = {
  id: 0,
  ...recordOf(
    channels.map((channel) => flagOf[channel]),
    () => '' as const,
  ),
  udfs: [],
  units: [],
  feedback: '',
  purchases: '',
  ...recordOf(texts, () => ''),
};

const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;

/** The full contact object. */
export function contactObject(row: ContactRow, { units, groups, udfs }: Parts, root: string): Contact {
  const contact: Contact = { ...blank };
  contact.id = row.id;
  for (const channel of channels) if (row[flagOf[channel]]) contact[flagOf[channel]] = '1';
  contact.udfs = [...udfs].sort(byId);
  contact.units = [...units].sort(byId).map(({ id, name }) => ({
    id,
    name,
    groups: groups
      .filter((group) => group.unit_id === id)
      .sort(byId)
      .map((group) => ({ id: group.id, name: group.name })),
  }));
  contact.feedback = `${root}/v1/contact/${row.id}/feedback`;
  contact.purchases = `${root}/v1/contact/${row.id}/purchases`;
  for (const field of texts) if (row[field] !== null) contact[field] = String(row[field]);
  return contact;
}
