import { Badge, Code, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { StaffContactCode } from '#service/features/vouchers/schema.ts';
import { getPages } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { MoreList } from '../../ui/MoreList.tsx';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { DateTime } from '../../ui/Values.tsx';

/** The voucher codes of a guest. */
export function GuestVouchers({ id }: { id: number }) {
  const { path } = useAccount();
  const codes = useInfiniteQuery(getPages<StaffContactCode>(`${path}/contacts/${id}/unique_codes`));
  return (
    <Panel title="Vouchers" flush>
      <MoreList
        label="Vouchers"
        of={codes}
        first={3}
        rowKey={(code) => code.id}
        render={(code) => <Voucher code={code} />}
        empty={
          <Text c="dimmed" p="md">
            None yet. Assign codes from a voucher group, under Vouchers.
          </Text>
        }
      />
    </Panel>
  );
}

function Voucher({ code }: { code: StaffContactCode }) {
  const { id: accountId } = useAccount();
  const isRedeemed = code.status === 'Redeemed';
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Code>{code.unique_code}</Code>
        <Badge color={isRedeemed ? 'gray' : 'green'}>{code.status}</Badge>
      </Group>
      <Text size="sm" c="dimmed" mt={2}>
        <TextLink
          to="/accounts/$accountId/vouchers/$groupId"
          params={{ accountId, groupId: code.unique_code_group_id }}
          size="sm"
          underline="always"
        >
          {code.unique_code_group_name}
        </TextLink>
        {isRedeemed ? (
          <>
            {' · redeemed '}
            <DateTime at={code.redeemed_at_datetime} />
            {code.redeemed_at_unit_name && ` at ${code.redeemed_at_unit_name}`}
          </>
        ) : (
          <>
            {' · assigned '}
            <DateTime at={code.assigned_at} dayOnly />
          </>
        )}
      </Text>
    </>
  );
}
