import type { StaffPurchase } from '#service/features/activity/purchases/schema.ts';

/** Of all lines; a line's value is for all of its quantity. */
export function totalOf({ transaction_lines }: Pick<StaffPurchase, 'transaction_lines'>): number {
  return transaction_lines.reduce((total, { value }) => total + Number(value), 0);
}
