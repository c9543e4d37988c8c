import { Code, Text } from '@mantine/core';
import type { StaffCode } from '#service/features/vouchers/schema.ts';
import { api } from '../../api/client.ts';
import { useAccount } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { notify } from '../../ui/notify.ts';
import { refreshVouchers } from './paths.ts';

interface UnassignCodeProps {
  code: StaffCode;
  opened: boolean;
  onClose: () => void;
}

/** Removes a code from its guest. */
export function UnassignCode({ code, opened, onClose }: UnassignCodeProps) {
  const account = useAccount();
  const { unique_code_group_id, unique_code, contact_id, contact_name } = code;
  const guest = contact_name ?? `guest ${contact_id}`;
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Take the code back?"
      action="Take it back"
      danger
      onConfirm={async () => {
        await api.post(`${account.path}/unique_codes/unassign`, { unique_code_group_id, unique_code });
        await refreshVouchers(account);
        notify.success(`${unique_code} is free again.`);
      }}
    >
      <Text>
        <Code>{unique_code}</Code> is then no longer assigned to {guest}, and can be assigned to another guest. A guest
        who knows the code can still redeem it. Purchases that it matched stay with the guest.
      </Text>
    </Confirm>
  );
}
