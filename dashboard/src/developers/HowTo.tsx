import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CountedCodeGroup, StaffCode } from '#service/features/vouchers/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { get } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { TextLink } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { unitsQuery } from '../venues/units.ts';
import { countedGroupsPath, groupPath } from '../vouchers/paths.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { curl } from './curl.ts';
import classes from './HowTo.module.css';

/** Three beginnings, with this account's own ids, so that they work as they are pasted. */
export function HowTo() {
  const account = useAccount();
  const units = useQuery(unitsQuery(account));
  const unit = units.data?.find(({ is_root }) => !is_root) ?? units.data?.[0];
  const unitId = unit?.id ?? account.root_unit_id;
  return (
    <Panel title="How to" lead="With this account’s own ids. Paste them into a terminal." flush>
      <Step
        title="Authenticate"
        command={`export REGULARS_TOKEN='regulars_pat_…'\n${curl({ method: 'GET', path: '/v1/account/units?groups=true' })}`}
      >
        Every request carries a token. Put yours into the first line, and ask for the venues. A token that is unknown,
        revoked or expired is answered with a 401.
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
        Creates the guest at {unit?.name ?? 'the root unit'}, or finds the one with this e-mail or mobile and adds what
        is new. A 422 names every field that is wrong, and then nothing is stored.
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
      A code is redeemed once, whatever happens: a second request is told when and where that was.{' '}
      {group && code ? (
        `This one is a free code of ${group.name}, and is then redeemed for good.`
      ) : (
        <>
          There is no free code yet: make some under{' '}
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
