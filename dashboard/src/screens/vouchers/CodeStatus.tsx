import { Badge } from '@mantine/core';
import type { StaffCode } from '#service/features/vouchers/schema.ts';

export function CodeStatus({ code }: { code: Pick<StaffCode, 'status' | 'contact_id'> }) {
  if (code.status === 'Redeemed') return <Badge color="green">Redeemed</Badge>;
  return code.contact_id === null ? <Badge color="gray">Free</Badge> : <Badge>Assigned</Badge>;
}
