import { Text } from '@mantine/core';
import type { StaffCode } from '#service/features/vouchers/schema.ts';
import { DateTime, Missing } from '../../ui/Values.tsx';

/** The time and venue of a redemption. */
export function RedemptionPlace({ code }: { code: Pick<StaffCode, 'redeemed_at_datetime' | 'redeemed_at_unit_name'> }) {
  if (code.redeemed_at_datetime === null) return <Missing />;
  return (
    <div>
      <DateTime at={code.redeemed_at_datetime} />
      <Text size="xs" c="dimmed">
        {code.redeemed_at_unit_name}
      </Text>
    </div>
  );
}
