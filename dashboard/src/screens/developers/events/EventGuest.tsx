import { useAccount } from '../../../session/session.ts';
import { TextLink } from '../../../ui/Page.tsx';

interface EventGuestProps {
  event: { type: string; data: Record<string, unknown> } | null;
}

/** A link to the guest of an event. An erased guest has no page, and an event with removed data can be of such a guest. */
export function EventGuest({ event }: EventGuestProps) {
  const { id: accountId } = useAccount();
  const id = event?.data.contact_id;
  if (!event || typeof id !== 'number') return null;
  if (event.type === 'contact.erased') return `guest ${id}, erased`;
  if (event.data.removed === true) return `guest ${id}, data removed`;
  return (
    <TextLink to="/accounts/$accountId/guests/$contactId" params={{ accountId, contactId: id }}>
      guest {id}
    </TextLink>
  );
}
