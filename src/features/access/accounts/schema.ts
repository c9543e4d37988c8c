import Type, { type Static } from 'typebox';
import { Id, Name } from '../../../shared/fields.ts';

const name = Name('What the group is called.', 'The Harbour Group');
const timeZone = Type.String({
  description: 'IANA time zone. Wall-clock times of the account are in it.',
  format: 'time-zone',
  maxLength: 64,
  examples: ['Europe/London'],
});

export const Account = Type.Object({
  id: Id('Account id'),
  name,
  time_zone: timeZone,
  root_unit_id: Id('The root unit'),
});
export type Account = Static<typeof Account>;

export const NewAccount = Type.Object({ name, time_zone: Type.Optional(timeZone) });
export type NewAccount = Static<typeof NewAccount>;

/** The job that deletes the rows of a deleted account. */
export const deleteAccountTask = 'delete_account_rows';

export interface DeleteAccount {
  account_id: number;
}
