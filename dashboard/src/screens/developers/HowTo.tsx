import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CountedCodeGroup } from '#service/features/vouchers/group-schema.ts';
import type { StaffCode } from '#service/features/vouchers/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { get } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { unitsQuery } from '../venues/units.ts';
import { countedGroupsPath, groupPath } from '../vouchers/paths.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { curl } from './curl.ts';
import classes from './HowTo.module.css';

/** Three example requests with this account's ids, ready to paste. */
export function HowTo() {
  const account = useAccount();
  const units = useQuery(unitsQuery(account));
  const unit = units.data?.find(({ is_root }) => !is_root) ?? units.data?.[0];
  const unitId = unit?.id ?? account.root_unit_id;
  return (
    <Panel title="How to" lead="Examples with this account’s ids. Paste them into a terminal." flush>
      <Step
        title="Authenticate"
        command={`export REGULARS_TOKEN='regulars_pat_…'\n${curl({ method: 'GET', path: '/v1/account/units?groups=true' })}`}
      >
        Every request needs a token. Put yours in the first line, then list the venues. An unknown, revoked or expired
        token gets a 401.
      </Step>
      <Step
        title="Write a contact"
        command={curl({
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
      >
        Creates a guest at {unit?.name ?? 'the root unit'}, or updates the guest with this e-mail or mobile. If a field
        is invalid, nothing is stored, and the 422 names every invalid field.
      </Step>
      <Redeem unitId={unitId} />
    </Panel>
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
  const code = codes.data?.data[0]?.unique_code;
  return (
    <Step
      title="Redeem a voucher"
      command={curl({
        method: 'POST',
        path: '/v1/unique_code/redeem',
        body: {
          account_id: account.id,
          unit_id: unitId,
          ...(group ? { unique_code_group_id: group.id } : {}),
          unique_code: code ?? 'YOUR-CODE',
        },
      })}
    >
      A code can be redeemed once. A second request gets a 422 with the time and place of the first.{' '}
      {group && code ? (
        `This example uses a free code of ${group.name}. The request redeems it for good.`
      ) : (
        <>
          There is no free code yet. Generate some under{' '}
          <TextLink to="/accounts/$accountId/vouchers" params={{ accountId: account.id }}>
            Vouchers
          </TextLink>
          .
        </>
      )}
    </Step>
  );
}

interface StepProps {
  title: string;
  command: string;
  children: ReactNode;
}

function Step({ title, command, children }: StepProps) {
  return (
    <div className={classes.step}>
      <div>
        <Title order={3} mb={4}>
          {title}
        </Title>
        <Text c="dimmed">{children}</Text>
      </div>
      <CodeBlock what="command" title="In a terminal">
        {command}
      </CodeBlock>
    </div>
  );
}
