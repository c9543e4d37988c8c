import { Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, startTransition, useEffect, useState } from 'react';
import { formatNumber } from './format.ts';
import classes from './TimeChart.module.css';
import { bucketName, type Point, type TimeChartProps, valueAt } from './time-series.ts';

// The chart library is large, so it is a separate chunk. It loads while the data is loading.
const Drawing = lazy(() => import('./TimeChartDrawing.tsx'));

/** A chart over time. Screen readers get a table. Arrow keys move through the points. */
export function TimeChart<P extends Point>(props: TimeChartProps<P>) {
  const { label, points, series, empty, height = 220 } = props;
  const any = !points || points.some((point) => series.some(({ key }) => valueAt(point, key) !== 0));
  // Drawing the chart is slow, so the page renders first.
  const [drawn, setDrawn] = useState(false);
  useEffect(() => startTransition(() => setDrawn(true)), []);
  return (
    <figure className={classes.chart} style={{ height }} aria-label={label}>
      {!any && (
        <Text c="dimmed" className={classes.instead}>
          {empty}
        </Text>
      )}
      {any && drawn && (
        <>
          <Suspense fallback={<Skeleton height="100%" />}>
            <Drawing {...(props as unknown as TimeChartProps<Point>)} />
          </Suspense>
          <VisuallyHidden component="div">
            <AsTable {...props} />
          </VisuallyHidden>
        </>
      )}
    </figure>
  );
}

function AsTable<P extends Point>(props: TimeChartProps<P>) {
  const { label, points, bucket, to, series, format = formatNumber, more } = props;
  if (!points) return null;
  return (
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ key, label }) => (
            <th key={key} scope="col">
              {label}
            </th>
          ))}
          {more && <th scope="col">{more.label}</th>}
        </tr>
      </thead>
      <tbody>
        {points.map((point, index) => (
          <tr key={point.at}>
            <th scope="row">{bucketName({ points, bucket, to }, index)}</th>
            {series.map(({ key }) => (
              <td key={key}>{format(valueAt(point, key))}</td>
            ))}
            {more && <td>{more.of(point)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
