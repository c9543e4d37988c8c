import { Counter, Histogram, Registry } from 'prom-client';
import type { Posted } from '../../../../platform/outgoing/post.ts';

/** The metrics of the sender. One process of a machine sends, so they are not summed. */
export const senderMetrics = new Registry();

const registers = [senderMetrics];

const attempts = new Counter({
  name: 'regulars_webhook_attempts_total',
  help: 'Requests to webhooks, by result.',
  labelNames: ['result'] as const,
  registers,
});
// Prometheus does not see the first increase of a series that starts above zero.
for (const result of ['delivered', 'failed']) attempts.inc({ result }, 0);

const durations = new Histogram({
  name: 'regulars_webhook_attempt_seconds',
  help: 'The duration of requests to webhooks.',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  registers,
});
const delays = new Histogram({
  name: 'regulars_webhook_delay_seconds',
  help: 'The time from a change to its delivery, for deliveries of the first attempt.',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600],
  registers,
});
const disabled = new Counter({
  name: 'regulars_webhooks_disabled_total',
  help: 'Webhooks that the service disabled.',
  registers,
});

export function countAttempt({ durationMs }: Posted, succeeded: boolean): void {
  attempts.inc({ result: succeeded ? 'delivered' : 'failed' });
  durations.observe(durationMs / 1000);
}

export function observeDelay(seconds: number): void {
  delays.observe(seconds);
}

export function countDisabled(): void {
  disabled.inc();
}
