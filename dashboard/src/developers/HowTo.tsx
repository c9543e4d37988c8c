import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Paged } from '#service/shared/fields.ts';
import type { Unit } from '#service/units/schema.ts';
import type { CountedCodeGroup, StaffCode } from '#service/vouchers/schema.ts';
import { get } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { TextLink } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { countedGroupsPath, groupPath } from '../vouchers/paths.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { curl } from './curl.ts';
import classes from './HowTo.module.css';

/** Three beginnings, with this account's own ids, so that they work as they are pasted. */
export function HowTo() {
  const account = useAccount();
  const units = useQuery(get<Paged<Unit>>(`${account.path}/units`));
  const unit = units.data?.data.find(({ is_root }) => !is_root) ?? units.data?.data[0];
  const unitId = unit?.id ?? account.root_unit_id;
  return (
    <div className={classes.cards}>
      <Panel title="Authenticate">
        <Stack gap="sm">
          <Text>Every request carries a token. Keep it in the shell, and ask for the venues:</Text>
          <CodeBlock what="commands" title="In a terminal">
            {`export REGULARS_TOKEN='regulars_pat_…'\n${curl({ method: 'GET', path: '/v1/account/units?groups=true' })}`}
          </CodeBlock>
          <Text size="sm" c="dimmed">
            A token that is unknown, revoked or expired is answered with a 401.
          </Text>
        </Stack>
      </Panel>
      <Panel title="Write a contact">
        <Stack gap="sm">
          <Text>Creates the guest, or finds the one with this e-mail or mobile and adds what is new:</Text>
          <CodeBlock what="command" title="In a terminal">
            {curl({
              method: 'POST',
              path: '/v1/contact',
              body: {
                account_id: account.id,
                email: 'ana.silva@gmail.com',
                first_name: 'Ana',
                last_name: 'Silva',
                units: [{ id: unitId }],
              },
            })}
          </CodeBlock>
          <Text size="sm" c="dimmed">
            Stored at {unit?.name ?? 'the root unit'}. A 422 names every field that is wrong, and nothing is stored.
          </Text>
        </Stack>
      </Panel>
      <Redeem unitId={unitId} />
    </div>
  );
}

function Redeem({ unitId }: { unitId: number }) {
  const account = useAccount();
  const groups = useQuery(get<Paged<CountedCodeGroup>>(countedGroupsPath(account)));
  const group = groups.data?.data.find(({ made, assigned, redeemed }) => made > assigned + redeemed);
  const codes = useQuery({
    ...get<Paged<StaffCode>>(`${groupPath(account, group?.id ?? 0)}/codes`, { status: 'Active', assigned: false }),
    enabled: group !== undefined,
  });
  const code = group && codes.data?.data[0]?.unique_code;
  return (
    <Panel title="Redeem a voucher">
      <Stack gap="sm">
        <Text>Once, whatever happens: a second request is told when and where that was.</Text>
        <CodeBlock what="command" title="In a terminal">
          {curl({
            method: 'POST',
            path: '/v1/unique_code/redeem',
            body: {
              account_id: account.id,
              unit_id: unitId,
              ...(group ? { unique_code_group_id: group.id } : {}),
              unique_code: code ?? 'YOUR-CODE',
            },
          })}
        </CodeBlock>
        {code && group ? (
          <Text size="sm" c="dimmed">
            This is a free code of {group.name}, and it is redeemed for good.
          </Text>
        ) : (
          <Text c="dimmed">
            There is no free code yet. Make some under{' '}
            <TextLink to="/accounts/$accountId/vouchers" params={{ accountId: account.id }}>
              Vouchers
            </TextLink>
            .
          </Text>
        )}
      </Stack>
    </Panel>
  );
}
