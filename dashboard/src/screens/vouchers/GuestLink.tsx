import type { StaffCode } from '#service/features/vouchers/schema.ts';
import { useAccount } from '../../session/session.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Missing } from '../../ui/Values.tsx';

/** A link to the guest of a code. */
export function GuestLink({ code }: { code: Pick<StaffCode, 'contact_id' | 'contact_name'> }) {
  const { id: accountId } = useAccount();
  if (code.contact_id === null) return <Missing />;
  return (
    <TextLink to="/accounts/$accountId/guests/$contactId" params={{ accountId, contactId: code.contact_id }}>
      {code.contact_name ?? `Guest ${code.contact_id}`}
    </TextLink>
  );
}
