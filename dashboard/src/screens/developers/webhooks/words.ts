import type { Webhook, WebhookHealth } from '#service/features/exchange/webhooks/schema.ts';
import { formatNumber, formatPercent, withCount } from '../../../ui/format.ts';
import { eventName } from '../events/event-types.ts';

/** "All events", "Guest created, Guest changed", "Guest created, Guest changed and 3 more" */
export function typesText(types: readonly string[]): string {
  if (types.includes('*')) return 'All events';
  const names = types.map(eventName);
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
}

/** Rounded down, so that 100% means that all attempts succeeded. */
export const rateText = (rate: number) => formatPercent(Math.floor(rate * 1000) / 1000);

export const formatMs = (ms: number) => `${formatNumber(ms)} ms`;

/** "1,243 attempts" and "84 ms on average" */
export function phrasesOf({ succeeded, failed, average_ms }: WebhookHealth): string[] {
  const attempts = withCount(succeeded + failed, 'attempt');
  return average_ms === null ? [attempts] : [attempts, `${formatMs(average_ms)} on average`];
}

/** The name of a webhook in titles and messages: its description, or else the host of its URL. */
export function nameOf({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  if (description) return description;
  return URL.canParse(url) ? new URL(url).host : url;
}
