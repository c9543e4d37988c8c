import { AggregatorRegistry, Registry } from 'prom-client';

/** A metric as prom-client's registry returns it. Processes send it to each other in this shape. */
export interface MetricValues {
  name: string;
  help: string;
  type: string;
  /** How the values of several processes are combined. */
  aggregator: string;
  values: { value: number; labels: Record<string, string | number>; metricName?: string }[];
}

/** Adds a metric that the library does not count itself. The registry uses only its name and get(). */
export function addMetric(registry: Registry, name: string, get: () => MetricValues): void {
  registry.registerMetric({ name, get } as unknown as Parameters<Registry['registerMetric']>[0]);
}

/** The metrics of this process, ready to send to another one. */
export async function metricsOf(registry: Registry): Promise<MetricValues[]> {
  const metrics = (await registry.getMetricsAsJSON()) as unknown as MetricValues[];
  return metrics.map((metric) => ({
    ...metric,
    aggregator: aggregators[metric.aggregator] ?? metric.aggregator,
    // JSON has no NaN, which some metrics have before their first value.
    values: metric.values.filter(({ value }) => Number.isFinite(value)),
  }));
}

/** Replaces some of the library's aggregators. The average would hide one blocked process. */
const aggregators: Record<string, string> = { average: 'max', omit: 'min' };

/** Combines the metrics of several processes: one metric per name. */
export function sumMetrics(metrics: MetricValues[][]): MetricValues[] {
  return AggregatorRegistry.aggregate(metrics).getMetricsAsArray() as unknown as MetricValues[];
}

/** The text format of Prometheus. */
export function formatMetrics(metrics: MetricValues[]): Promise<string> {
  const registry = new Registry();
  for (const metric of metrics) addMetric(registry, metric.name, () => metric);
  return registry.metrics();
}
