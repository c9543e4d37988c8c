import Type, { type Static } from 'typebox';
import { Id, Name } from '../../../shared/fields.ts';

const name = Name('The name of the group.', 'The Harbour Group');
const timeZone = Type.String({
  description: 'The IANA time zone of the account. Local times of the account are in it. The default is `UTC`.',
  format: 'time-zone',
  maxLength: 64,
  examples: ['Europe/London'],
});

export const Account = Type.Object(
  { id: Id('The id of the account.'), name, time_zone: timeZone, root_unit_id: Id('The id of the root unit.') },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

export const NewAccount = Type.Object({ name, time_zone: Type.Optional(timeZone) }, { title: 'AccountCreate' });
export type NewAccount = Static<typeof NewAccount>;

/** The job that deletes the rows of a deleted account. */
export const deleteAccountTask = 'delete_account_rows';

export const DeleteAccount = Type.Object({ account_id: Type.Integer() });
export type DeleteAccount = Static<typeof DeleteAccount>;

/** The job that counts all activity of an account for the figures: after an upgrade, and when the time zone changes. */
export const countFiguresTask = 'count_figures';

export const CountFigures = Type.Object({ account_id: Type.Integer() });
export type CountFigures = Static<typeof CountFigures>;
