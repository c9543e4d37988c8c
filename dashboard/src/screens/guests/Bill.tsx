import { Text } from '@mantine/core';
import type { TimelineEntry } from '#service/features/insight/timeline/schema.ts';
import { formatNumber } from '../../ui/format.ts';
import { Money } from '../../ui/Values.tsx';
import classes from './Timeline.module.css';

interface Line {
  what: string;
  note: string;
  quantity: number | null;
  value: number;
}

/** The lines of a purchase, or the room and the extras of a stay. Prices of a stay are in pence. */
export function billOf({ purchase, stay }: TimelineEntry): Line[] {
  if (purchase)
    return purchase.lines.map(({ description, sku, quantity, value, tags }) => ({
      what: description || sku || 'Item',
      note: tags.join(', '),
      quantity: Number(quantity),
      value: Number(value),
    }));
  if (!stay) return [];
  const room = stay.room_gross_value ?? stay.room_net_value;
  return [
    ...(room === null ? [] : [{ what: 'Room', note: stay.room_rate_code ?? '', quantity: null, value: room }]),
    ...stay.extras.map(({ name, reference, quantity, price }) => ({
      ...{ what: name, note: reference, quantity },
      value: price / 100,
    })),
  ];
}

export function Bill({ lines }: { lines: Line[] }) {
  return (
    <table className={classes.lines}>
      <thead hidden>
        <tr>
          <th>Item</th>
          <th>Quantity</th>
          <th>Value</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order is fixed, and two lines can be equal
          <tr key={index}>
            <td>
              {line.what}
              {line.note && (
                <Text component="span" size="sm" c="dimmed">
                  {' '}
                  {line.note}
                </Text>
              )}
            </td>
            <td>{line.quantity !== null && `× ${formatNumber(line.quantity)}`}</td>
            <td>
              <Money value={line.value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
