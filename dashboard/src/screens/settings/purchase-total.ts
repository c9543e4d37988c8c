import type { StaffPurchase } from '#service/features/activity/purchases/schema.ts';

/** The sum of all lines. The value of a line covers its whole quantity. */
export function totalOf({ transaction_lines }: Pick<StaffPurchase, 'transaction_lines'>): number {
  return transaction_lines.reduce((total, { value }) => total + Number(value), 0);
}
