import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { promtool } from '../support/promtool.ts';

const read = (path: string) => readFileSync(path, 'utf8');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}
const rules = parse(read('deploy/prometheus/alerts.yml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
) as Rule[];

describe.skipIf(!promtool.isInstalled)(`the alert rules${promtool.skipped}`, () => {
  it('are valid, with the configuration of Prometheus', () => {
    for (const args of [
      ['check', 'rules', '--lint=all', '--lint-fatal', 'deploy/prometheus/alerts.yml'],
      ['check', 'config', 'deploy/prometheus/prometheus.yml'],
    ])
      expect(promtool.run(...args)).toMatchObject({ status: 0 });
  });

  it('pass their unit tests', () => {
    expect(promtool.run('test', 'rules', 'deploy/prometheus/alerts.test.yml')).toMatchObject({ status: 0 });
  });
});

describe.each(rules)('$alert', ({ alert, labels, annotations }) => {
  it('names its section in docs/operations.md', () => {
    expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    expect(read('docs/operations.md')).toContain(`\n### ${alert}\n`);
  });
  it('has a summary and a severity', () => {
    expect(annotations.summary).toMatch(/^[A-Z].*\.$/);
    expect(['critical', 'warning']).toContain(labels.severity);
  });
  it('has a unit test', () => {
    const tests = parse(read('deploy/prometheus/alerts.test.yml')).tests as {
      alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
    }[];
    const ofAlert = tests.flatMap((test) => test.alert_rule_test).filter(({ alertname }) => alertname === alert);
    expect(new Set(ofAlert.map(({ exp_alerts }) => exp_alerts.length))).toEqual(new Set([0, 1]));
  });
});

it('every section of an alert in docs/operations.md has a rule', () => {
  const sections = Array.from(read('docs/operations.md').matchAll(/^### (Regulars\w+)$/gm), ([, name]) => name);
  expect(sections.sort()).toEqual(rules.map(({ alert }) => alert).sort());
});
