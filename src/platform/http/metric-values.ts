import { AggregatorRegistry, Registry } from 'prom-client';

/** What is said to Prometheus under one name, in the shape in which processes can tell each other. */
export interface MetricValues {
  name: string;
  help: string;
  type: string;
  /** How those of several processes become one. */
  aggregator: string;
  values: { value: number; labels: Record<string, string | number>; metricName?: string }[];
}

/** Makes a library's registry say what is kept elsewhere. */
export function addMetric(registry: Registry, name: string, get: () => MetricValues): void {
  registry.registerMetric({ name, get } as unknown as Parameters<Registry['registerMetric']>[0]);
}

/** This process's, ready to be told to another. */
export async function metricsOf(registry: Registry): Promise<MetricValues[]> {
  const figures = (await registry.getMetricsAsJSON()) as unknown as MetricValues[];
  return figures.map((figure) => ({
    ...figure,
    aggregator: together[figure.aggregator] ?? figure.aggregator,
    // What is no number yet does not survive the way.
    values: figure.values.filter(({ value }) => Number.isFinite(value)),
  }));
}

/** Where the library has a way of its own: a process that stands still must not hide behind the others' average. */
const together: Record<string, string> = { average: 'max', omit: 'min' };

/** One for each name, of what several processes say. */
export function sumMetrics(figures: MetricValues[][]): MetricValues[] {
  return AggregatorRegistry.aggregate(figures).getMetricsAsArray() as unknown as MetricValues[];
}

/** As Prometheus reads it. */
export function formatMetrics(figures: MetricValues[]): Promise<string> {
  const registry = new Registry();
  for (const figure of figures) addMetric(registry, figure.name, () => figure);
  return registry.metrics();
}
