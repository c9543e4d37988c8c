import type { Delivery, WebhookStatus } from '#service/features/exchange/webhooks/schema.ts';
import { useAccount } from '../../../session/session.ts';
import { Missing, RelativeTime } from '../../../ui/Values.tsx';

interface NextAttemptProps {
  of: Pick<Delivery, 'state' | 'next_attempt_at'>;
  status: WebhookStatus | undefined;
}

export function NextAttempt({ of: { state, next_attempt_at }, status }: NextAttemptProps) {
  const { time_zone } = useAccount();
  if (state !== 'pending') return <Missing />;
  if (status === 'paused' || status === 'disabled') return 'When the webhook is active';
  if (next_attempt_at === null) return 'After an earlier event of the guest';
  // A time that has just passed: the sender is about to send.
  return Date.parse(next_attempt_at) <= Date.now() ? 'Now' : <RelativeTime at={next_attempt_at} timeZone={time_zone} />;
}
