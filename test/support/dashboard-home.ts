import type { Page } from 'playwright-core';

/** The value under the label of a figure. */
export async function figure(page: Page, name: string): Promise<string> {
  const text = await figureOf(page, name).innerText();
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The value and the note under the label of a figure. */
export function figureOf(page: Page, name: string) {
  const term = page.getByRole('term').getByText(name, { exact: true });
  return page.locator('dl > div').filter({ has: term }).getByRole('definition');
}

/** A day some days ago. */
export const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);

export const bill = (unit_id: number, reference: string, before: number, value: number) => ({
  ...{ transaction_reference: reference, unit_id, provider_id: 12, created_at: `${day(before)} 00:00:01` },
  items: [{ description: 'Pale ale', sku: 'ALE-1', quantity: 1, value }],
});

/** A rating of yesterday. */
export const rated = (unit_id: number, rating_text: string) => ({
  ...{ unit_id, created_at: `${day(1)} 12:00:00` },
  ratings: [{ category_id: 4, rating_text }],
});
