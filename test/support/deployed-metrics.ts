import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The variables of Grafana, as values that Prometheus can parse. */
const variables: Record<string, string> = { $instance: '.*', $__rate_interval: '5m' };

interface Dashboard {
  panels: { targets?: { expr: string }[] }[];
  annotations: { list: { expr: string }[] };
}
const dashboard = JSON.parse(readFileSync('deploy/grafana/regulars.json', 'utf8')) as Dashboard;
const alertRules = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')).groups[0].rules as { expr: string }[];

export const dashboardExpressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets),
  ...dashboard.annotations.list,
].map(({ expr }) => expr.replace(/\$\w+/g, (name) => variables[name] ?? name));

/** The names of the metrics in the alert rules and in the Grafana dashboard, except those of Prometheus itself. */
export function deployedMetrics(): string[] {
  const expressions = [...alertRules.map(({ expr }) => expr), ...dashboardExpressions];
  const names = expressions.flatMap((expr) => expr.match(/\b[a-z]+_\w+(?=\{|\[|\)|$|\s)/gm) ?? []);
  const functions = ['histogram_quantile'];
  return [...new Set(names)].filter((name) => !functions.includes(name)).sort();
}
