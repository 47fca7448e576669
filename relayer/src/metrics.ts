/** Metrics of the relayer, in addition to the HTTP metrics. */
import { Counter, Gauge, Registry } from 'prom-client';
import { totals } from './billing/ledger.ts';
import type { Payers } from './chain/payers.ts';
import type { Database } from './db/database.ts';
import type { CountRequest } from './keys/key-nodes.ts';
import type { Runners } from './runners/runners.ts';

export function createMetrics(
  payers: Pick<Payers, 'status'>,
  runners: Pick<Runners, 'load'>,
  db: Database,
): Registry {
  const registry = new Registry();
  new Gauge({
    name: 'payer_pending_transactions',
    help: 'Stored transactions that are not settled, by payer.',
    labelNames: ['payer'],
    registers: [registry],
    collect() {
      for (const { address, pending } of payers.status()) this.set({ payer: address }, pending);
    },
  });
  new Gauge({
    name: 'runtime_processes',
    help: 'Action processes and waiting runs of the runners, by state.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(runners.load())) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'credit_micros',
    help:
      'Micro-credits over all accounts: credited and reversed are payments and refunds, captured is revenue, ' +
      'available and reserved are the current balances.',
    labelNames: ['book'],
    registers: [registry],
    async collect() {
      for (const [book, micros] of Object.entries(await totals(db))) this.set({ book }, Number(micros));
    },
  });
  return registry;
}

export function createKeyNodeCounter(registry: Registry): CountRequest {
  const counter = new Counter({
    name: 'key_node_requests_total',
    help: 'Requests to key nodes, by position of the node in KEY_NODES and result.',
    labelNames: ['node', 'result'] as const,
    registers: [registry],
  });
  return (node, result) => counter.inc({ node, result });
}
