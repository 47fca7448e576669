/** The manifests, and the proxy of docs/production.md, compared with the services. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const page = read('docs/production.md');
const manifest = read('deploy/kubernetes/relayer.yaml');
const settings = read('relayer/.env.example');
const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]);
const setting = (name: string): number => numberIn(settings, new RegExp(`^${name}=(\\d+)$`, 'm'));

test('the grace period covers preStop and the longest stop', () => {
  const drainSec = setting('DRAIN_TIMEOUT_SEC');
  expect(numberIn(manifest, /name: DRAIN_TIMEOUT_SEC, value: "(\d+)"/)).toBe(drainSec);
  const preStopSec = numberIn(manifest, /sleep: \{ seconds: (\d+) \}/);
  expect(numberIn(manifest, /terminationGracePeriodSeconds: (\d+)/)).toBe(preStopSec + drainSec + 60);
});

test('the proxy waits longer than the longest run, and keeps connections shorter than the services', () => {
  expect(numberIn(page, /proxy_read_timeout (\d+)s/)).toBe(setting('RUN_TIMEOUT_MS') / 1_000 + 60);
  const keptMs = numberIn(
    read('packages/http/src/listen.ts').replaceAll('_', ''),
    /KEEPALIVETIMEOUTMS = (\d+)/,
  );
  expect(numberIn(page, /keepalive_timeout (\d+)s/) * 1_000).toBeLessThan(keptMs);
});

test('probes ask routes that exist, on the port of the relayer', () => {
  const routes = read('relayer/src/routes/service/health.ts') + read('packages/http/src/health.ts');
  const paths = [...manifest.matchAll(/httpGet: \{ path: (\S+), port: http \}/g)].map(([, path]) => path);
  expect(paths).toEqual(['/live', '/live', '/ready']);
  for (const path of paths) expect(routes).toContain(`path: '${path}'`);
  expect(numberIn(manifest, /containerPort: (\d+)/)).toBe(setting('PORT'));
});
