import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { temporaryFolder } from './leftovers.ts';
import { promtool } from './promtool.ts';

const file = resolve('deploy/prometheus/alerts.yml');
const rules = parse(readFileSync(file, 'utf8')).groups[0].rules as { alert: string; expr: string }[];
export const alerts = rules.map(({ alert }) => alert);
const isUsed = (metric: string) => rules.some(({ expr }) => expr.includes(metric));

/** The time between scrapes, and the time that promtool takes it for. So a fault of a second counts as 100 seconds. */
const [everyMs, countsAsSeconds] = [300, 30];

/** Scrapes a service as Prometheus does. `end` returns the series in the notation of promtool. */
export function scrape(url: () => string | undefined) {
  const series = new Map<string, string[]>();
  let count = 0;
  let isOver = false;
  const scraping = (async () => {
    for (; !isOver; await pause(everyMs)) {
      const text = await metricsAt(url());
      const values = text === undefined ? new Map<string, string>() : samplesIn(text);
      values.set('up{job="regulars",instance="one"}', text === undefined ? '0' : '1');
      for (const key of values.keys()) if (!series.has(key)) series.set(key, Array(count).fill('_'));
      for (const [key, sent] of series) sent.push(values.get(key) ?? 'stale');
      count++;
    }
  })();
  return {
    /** Waits for this many more scrapes. */
    more: async (scrapes: number) => {
      for (const until = count + scrapes; count < until; ) await pause(20);
    },
    end: async () => {
      isOver = true;
      await scraping;
      return series;
    },
  };
}

async function metricsAt(url: string | undefined): Promise<string | undefined> {
  if (url === undefined) return undefined;
  return fetch(`${url}/metrics`, { signal: AbortSignal.timeout(8000) })
    .then((response) => (response.ok ? response.text() : undefined))
    .catch(() => undefined);
}

function samplesIn(text: string): Map<string, string> {
  const samples = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name = '', , labels = '', value = ''] = /^(\w+)(\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name !== '' && isUsed(name))
      samples.set(`${name}{job="regulars",instance="one"${labels === '' ? '' : `,${labels}`}}`, value);
  }
  return samples;
}

/** Lets promtool evaluate the rules over the series. Returns its complaints: '' if the right alerts fired. */
export function unexpectedAlerts(
  series: Map<string, string[]>,
  { fires, mayFire = [] }: { fires: string[]; mayFire?: string[] },
): string {
  const length = Math.max(...Array.from(series.values(), (values) => values.length));
  const seconds = `${length * countsAsSeconds}s`;
  const checked = alerts.filter((alert) => !mayFire.includes(alert) || fires.includes(alert));
  const test = {
    rule_files: [file],
    evaluation_interval: `${countsAsSeconds}s`,
    tests: [
      {
        interval: `${countsAsSeconds}s`,
        input_series: Array.from(series, ([key, values]) => ({ series: key, values: values.join(' ') })),
        promql_expr_test: checked.map((alert) => ({
          expr: `sum(count_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[${seconds}])) > bool 0 or vector(0)`,
          eval_time: seconds,
          exp_samples: [{ labels: '{}', value: fires.includes(alert) ? 1 : 0 }],
        })),
      },
    ],
  };
  const path = join(temporaryFolder(), 'series.test.yml');
  writeFileSync(path, stringify(test));
  const { status, output } = promtool.run('test', 'rules', path);
  return status === 0 ? '' : output;
}
