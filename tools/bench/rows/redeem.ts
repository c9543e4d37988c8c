import { expectAnswer } from '../load/load.ts';
import { countsUp, partnerHeaders, type Row, turnOf } from './row.ts';

/** Coprime to all numbers of codes, so that steps of it reach each code once. */
const stride = 754_877;

/** Redeems codes of each account's voucher group. pgbench has a separate group. */
export function redeem(limitGroup?: { id: number; codes: number }): Row {
  return {
    key: 'redeem',
    name: 'redeem a voucher',
    begin: async (stage) => {
      const codeOf = (n: number) => {
        const { group, k } = turnOf(stage, n);
        const { codes } = group.size;
        if (k >= codes) throw new Error(`There are only ${codes} vouchers in an account: all of them are redeemed.`);
        return `S${(k * stride) % codes}`;
      };
      const made = stage.groups[0]?.made;
      return {
        ask: {
          path: '/v1/unique_code/redeem',
          headers: partnerHeaders(stage),
          body: (n) => {
            const { group } = turnOf(stage, n);
            const { accountId, codeGroupId } = group.made;
            return JSON.stringify({
              ...{ account_id: accountId, unit_id: group.firstUnit, unique_code_group_id: codeGroupId },
              unique_code: codeOf(n),
            });
          },
          check: (n, status, body) => expectAnswer(status, body, `"unique_code":"${codeOf(n)}"`, '"Redeemed"'),
        },
        ...(limitGroup && {
          limit: {
            what: 'one conditional UPDATE',
            script: `\\set n random(1, ${limitGroup.codes})
update unique_codes set redeemed_at = now(), redeemed_unit_id = :unit where account_id = :account and code_key = 'L' || :n::text and group_id = :group and redeemed_at is null;`,
            variables: { account: made?.accountId ?? 0, unit: made?.units[0] ?? 0, group: limitGroup.id },
          },
        }),
        stored: await countsUp(stage, ['unique_codes', `unique_code like 'S%' and redeemed_at is not null`]),
      };
    },
  };
}
