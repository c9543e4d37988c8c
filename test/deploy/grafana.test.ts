import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { dashboardExpressions } from '../support/deployed-metrics.ts';
import { temporaryFolder } from '../support/leftovers.ts';
import { promtool } from '../support/promtool.ts';

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
}
const { panels } = JSON.parse(readFileSync('deploy/grafana/regulars.json', 'utf8')) as { panels: Panel[] };

describe('the Grafana dashboard', () => {
  it('has panels with unique ids and titles, next to each other', () => {
    expect(panels.length).toBeGreaterThan(15);
    for (const key of ['id', 'title'] as const)
      expect(new Set(panels.map((panel) => panel[key])).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });

  it.skipIf(!promtool.isInstalled)(`has expressions that Prometheus can parse${promtool.skipped}`, () => {
    expect(dashboardExpressions.length).toBeGreaterThan(panels.filter(({ type }) => type !== 'row').length);
    const rules = dashboardExpressions.map((expr, n) => ({ record: `panel:${n}`, expr }));
    const path = join(temporaryFolder(), 'expressions.yml');
    writeFileSync(path, stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(promtool.run('check', 'rules', path)).toMatchObject({ status: 0 });
  });
});
