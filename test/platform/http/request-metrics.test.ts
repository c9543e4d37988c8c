import { expect, it } from 'vitest';
import { RequestMetrics } from '../../../src/platform/http/request-metrics.ts';
import { formatMetrics } from '../../../src/platform/internals/prom-client.ts';

it('counts by route, method and status, with a histogram of durations', async () => {
  const metrics = new RequestMetrics();
  metrics.count('GET', '/a', 200, 0.001);
  metrics.count('GET', '/a', 422, 0.0011);
  metrics.count('GET', '/a', 200, 11);
  metrics.count('POST', '/a', 200, 0.5);
  const lines = (await formatMetrics(metrics.values())).split('\n');
  expect(lines.filter((line) => line.startsWith('regulars_http_requests_total'))).toEqual([
    'regulars_http_requests_total{method="GET",route="/a",status="200"} 2',
    'regulars_http_requests_total{method="GET",route="/a",status="422"} 1',
    'regulars_http_requests_total{method="POST",route="/a",status="200"} 1',
  ]);
  const name = 'regulars_http_request_duration_seconds';
  const upTo = (method: string) =>
    lines
      .filter((line) => line.startsWith(`${name}_bucket`) && line.includes(`"${method}"`))
      .map((line) => [/le="([^"]+)"/.exec(line)?.[1], Number(line.split(' ').at(-1))]);
  expect(upTo('GET')).toEqual([
    ['0.001', 1],
    ...['0.0025', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10'].map((le) => [le, 2]),
    ['+Inf', 3],
  ]);
  expect(upTo('POST').map(([, count]) => count)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
  expect(lines).toContain(`${name}_sum{method="POST",route="/a"} 0.5`);
  expect(lines).toContain(`${name}_count{method="GET",route="/a"} 3`);
});
