import { Counter, type Registry } from 'prom-client';

export type ReleaseCounter = (kind: string, result: 'released' | 'refused') => void;

export function createReleaseCounter(registry: Registry): ReleaseCounter {
  const counter = new Counter({
    name: 'key_requests_total',
    help: 'Requests for parts of keys, by kind and result.',
    labelNames: ['kind', 'result'] as const,
    registers: [registry],
  });
  return (kind, result) => counter.inc({ kind, result });
}
