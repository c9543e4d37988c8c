import type { Tx } from '../../../platform/db/database.ts';

/** The most events that are searched. An attack from many networks writes more of them. */
const mostSearched = 1000;

/** The wrong passwords for this e-mail in the last minute. */
export async function recentFailures(tx: Tx, email: string): Promise<{ address: string | null }[]> {
  return tx<{ address: string | null }>`
    select address
    from (
      select address, at, action from audit_trail where user_id = (select id from users where email = ${email})
      order by id desc limit ${mostSearched}) as newest
    where action = 'user.wrong_password' and at > ${tx.now} - interval '1 minute'`;
}
