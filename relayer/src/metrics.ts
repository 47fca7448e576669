/** Metrics of the relayer, in addition to the HTTP metrics. */

import type { Chain } from '@latchkey/chain/chain';
import { addTableMetrics } from '@latchkey/http/table-metrics';
import type { Outbox } from '@latchkey/outbox';
import { accountConfigAbi } from '@latchkey/protocol';
import { sharedFor } from '@latchkey/service/shared-for';
import { Counter, Gauge, type Registry } from 'prom-client';
import { formatEther, type Hex, type TransactionReceipt, toFunctionSelector } from 'viem';
import { totals } from './billing/ledger.ts';
import type { Database } from './db/database.ts';
import { countPending, type PendingCount } from './db/wallet-transaction-records.ts';
import type { CountRequest } from './keys/key-nodes.ts';
import type { NotStored } from './request-log.ts';
import type { Runners } from './runners/runners.ts';

/** One statement per collection. */
const PENDING_LIFETIME_MS = 1_000;

export function addMetrics(
  registry: Registry,
  chain: Pick<Chain, 'client' | 'nodes' | 'refreshHead'>,
  payers: Pick<Outbox, 'status'>,
  runners: Pick<Runners, 'load'>,
  db: Database,
): void {
  addChainMetrics(registry, chain);
  addTableMetrics(registry, db, 'public');
  new Gauge({
    name: 'payer_balance_ether',
    help: 'Funds of each payer. Its transactions fail when they are used up.',
    labelNames: ['payer'],
    registers: [registry],
    async collect() {
      for (const { address } of payers.status())
        this.set({ payer: address }, Number(formatEther(await chain.client.getBalance({ address }))));
    },
  });
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
}

function addChainMetrics(registry: Registry, chain: Pick<Chain, 'nodes' | 'refreshHead'>): void {
  new Gauge({
    name: 'rpc_node_used',
    help: '1 for the RPC node that answers, by its position in RPC_URL.',
    labelNames: ['node'],
    registers: [registry],
    collect() {
      for (const { node, isUsed } of chain.nodes()) this.set({ node }, isUsed ? 1 : 0);
    },
  });
  new Gauge({
    name: 'chain_head_block',
    help: 'Newest block on which the RPC nodes agree.',
    registers: [registry],
    async collect() {
      this.set(Number(await chain.refreshHead()));
    },
  });
}

export function createNodeFaultCounter(registry: Registry): (node: number) => void {
  const counter = new Counter({
    name: 'rpc_node_faults_total',
    help: 'Times that an RPC node was left after a fault, by its position in RPC_URL. The log has the reasons.',
    labelNames: ['node'] as const,
    registers: [registry],
  });
  return (node) => counter.inc({ node });
}

/** `error` when the action threw or exceeded a limit, `refused` when the caller must change something, `failed` by the service. */
export type RunOutcomeName = 'success' | 'error' | 'refused' | 'failed';

export function createRunCounter(registry: Registry): (outcome: RunOutcomeName) => void {
  const counter = new Counter({
    name: 'action_runs_total',
    help: 'Runs of actions by outcome: success, error of the action, refused, or failed by a fault of the service.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return (outcome) => counter.inc({ outcome });
}

export function createNotStoredCounter(registry: Registry): (reason: NotStored, count: number) => void {
  const counter = new Counter({
    name: 'requests_not_stored_total',
    help: 'Requests of accounts that their log has left out: too many of the account, too many of all, or the database failed.',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  return (reason, count) => counter.inc({ reason }, count);
}

export function createRepriceCounter(registry: Registry): () => void {
  const counter = new Counter({
    name: 'transactions_repriced_total',
    help: 'Transactions that were sent again with higher fees.',
    registers: [registry],
  });
  return () => counter.inc();
}

/** Adds the metrics of transactions of wallets. Returns a function that counts a transaction whose next form is sent. */
export function addWalletMetrics(registry: Registry, db: Database): () => void {
  const pendingByChain = sharedFor(PENDING_LIFETIME_MS, () => countPending(db));
  const gauge = (name: string, help: string, value: (count: PendingCount) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['chain'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const count of await pendingByChain()) this.set({ chain: count.chainId }, value(count));
      },
    });
  };
  gauge(
    'wallet_pending_transactions',
    'Transactions of wallets that are not settled, by chain. All relayers on a database have the same number.',
    ({ pending }) => pending,
  );
  gauge(
    'wallet_oldest_pending_seconds',
    'Age of the oldest transaction of a wallet that is not settled, by chain.',
    ({ oldestSec }) => oldestSec,
  );
  const counter = new Counter({
    name: 'wallet_transactions_repriced_total',
    help: 'Transactions of wallets that were sent again in a form with higher fees.',
    registers: [registry],
  });
  return () => counter.inc();
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

export function createRefillGauge(registry: Registry): (isReached: boolean) => void {
  const gauge = new Gauge({
    name: 'payer_refill_limit_reached',
    help: '1 while a payer is low, and PAYER_REFILL_ETHER_PER_DAY does not allow to refill it.',
    registers: [registry],
  });
  return (isReached) => gauge.set(Number(isReached));
}

/** No label names the account, because accounts grow without limit: the table of transactions has them. */
export function createGasCounter(
  registry: Registry,
): (data: Hex, receipt: Pick<TransactionReceipt, 'gasUsed' | 'status'>) => void {
  const counter = new Counter({
    name: 'write_gas_total',
    help: 'Gas of settled transactions, by function of the contract and outcome: success or reverted.',
    labelNames: ['function', 'outcome'] as const,
    registers: [registry],
  });
  const names = new Map<Hex, string>(
    accountConfigAbi
      .filter((item) => item.type === 'function')
      .map((item) => [toFunctionSelector(item), item.name]),
  );
  return (data, { gasUsed, status }) =>
    counter.inc(
      { function: names.get(data.slice(0, 10) as Hex) ?? 'unknown', outcome: status },
      Number(gasUsed),
    );
}
