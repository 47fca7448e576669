import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { measureRequests } from './metrics.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const alerts = [...read('deploy/monitoring/alerts.yml').matchAll(/- alert: (\w+)\n +expr: (.+)\n/g)].map(
  ([, name = '', expression = '']) => [name, expression] as const,
);
type Panel = { title: string; targets: { expr: string }[] };
const { panels } = JSON.parse(read('deploy/monitoring/grafana.json')) as { panels: Panel[] };
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));

/** Names of metrics and labels as the services declare them, and those that Prometheus and prom-client add. */
const declared = new Set(
  globSync(
    ['{relayer,triggers,keynodes,runner,packages/http}/src/metrics.ts', 'indexer/service/metrics.ts'],
    { cwd: root },
  )
    .flatMap((file) => [...read(file).matchAll(/'([a-z][a-z_]+)'/g)])
    .map(([, name = '']) => name),
);
const registry = new Registry();
measureRequests(registry);
const added = new Set([
  'up',
  'job',
  'instance',
  'le',
  ...registry.getMetricsAsArray().map(({ name }) => name),
]);
/** Made by a query. */
const MADE = new Set(['outcome']);
const KEYWORDS = new Set([
  'by',
  'on',
  'and',
  'or',
  'sum',
  'max',
  'abs',
  'rate',
  'changes',
  'min_over_time',
  'histogram_quantile',
  'label_replace',
]);

/** Returns the names of a query that are neither texts, durations nor functions. */
const namesIn = (query: string): string[] =>
  (query.replaceAll(/"[^"]*"|\[\w+\]/g, '').match(/[a-z_][a-z_0-9]*/g) ?? []).filter(
    (name) => !KEYWORDS.has(name) && !/^e\d$/.test(name),
  );
const isKnown = (name: string) => {
  const metric = name.replace(/_(?:bucket|count|sum)$/, '');
  return [name, metric].some((known) => declared.has(known) || added.has(known)) || MADE.has(name);
};

test('alerts and panels are found', () => {
  expect(alerts.length).toBe(read('deploy/monitoring/alerts.yml').match(/- alert:/g)?.length);
  expect(alerts.length).toBeGreaterThan(10);
  expect(queries.length).toBeGreaterThan(10);
});

describe.each([...alerts, ...queries])('%s', (_name, query) => {
  test('uses metrics and labels that a service has', () => {
    expect(namesIn(query).filter((name) => !isKnown(name))).toEqual([]);
  });
});

test('docs/monitoring.md has a remedy for every alert, and for no other', () => {
  const described = [...read('docs/monitoring.md').matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, name]) => name);
  expect(described).toEqual(alerts.map(([name]) => name));
});
