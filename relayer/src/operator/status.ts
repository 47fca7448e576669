/**
 * The state of this relayer and of the parts that it knows, for its operator. Nothing in it is a secret: of URLs it has the hosts, and of the
 * faults of RPC nodes no text, which a node chooses.
 */
import type { Chain } from '@latchkey/chain/chain';
import { address, partHealth } from '@latchkey/http';
import type { Outbox } from '@latchkey/outbox';
import type { HealthCheck } from '@latchkey/service/health';
import { sharedFor } from '@latchkey/service/shared-for';
import { z } from 'zod';
import type { AccountConfig } from '../chain/account-config.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { countPending } from '../db/wallet-transaction-records.ts';
import type { RelayerPart } from '../health.ts';
import type { IndexerClient } from '../indexer-client.ts';
import type { Admission } from '../runners/admission.ts';
import type { Runners } from '../runners/runners.ts';
import type { WalletChains } from '../wallet-transactions/chains.ts';
import { keyGroupOf, keyGroupStatus, keyNodeStatus, readKeyNodes } from './key-nodes.ts';
import { orNull } from './or-null.ts';
import { payerStatus, readPayers } from './payers.ts';
import { countRelayers, queueStatus, readDeliveries } from './queues.ts';

/** One reading for any number of pages. */
const LIFETIME_MS = 2_000;

const chainStatus = z.object({
  chain_id: z.int(),
  name: z.string(),
  head: z.int(),
  /** By their positions in the setting. `works` is false after a fault, whose reason the log has. */
  nodes: z.array(z.object({ node: z.int(), host: z.string(), is_used: z.boolean(), works: z.boolean() })),
  /** Transactions of wallets that are not settled. Null while the database does not answer. */
  pending: z.int().nullable(),
  oldest_pending_sec: z.number().nullable(),
});

const runnerStatus = z.object({
  name: z.string(),
  is_connected: z.boolean(),
  version: z.string().nullable(),
  fault: z.string().nullable(),
  idle: z.int(),
  starting: z.int(),
  running: z.int(),
  queued: z.int(),
});

/** Null: not known, because a part does not answer. */
export const operatorStatus = z.object({
  at: z.iso.datetime(),
  version: z.string(),
  commit: z.string(),
  /** Relayers on the database of this one. */
  relayers: z.int().nullable(),
  parts: z.array(partHealth.extend({ name: z.string() })),
  contract: z.object({
    address,
    chain_id: z.int(),
    configuration: z.array(z.object({ key: z.string(), value: z.string() })).nullable(),
  }),
  payers: z.array(payerStatus),
  chains: z.array(chainStatus),
  queues: queueStatus,
  runners: z.array(runnerStatus),
  key_group: keyGroupStatus.nullable(),
  key_nodes: z.array(keyNodeStatus),
});
export type OperatorStatus = z.output<typeof operatorStatus>;
/** Without the version of this relayer. */
export type DeploymentStatus = Omit<OperatorStatus, 'version' | 'commit'>;

type Parts = {
  config: Pick<Config, 'keyNodes' | 'payers' | 'runs'>;
  chain: Pick<Chain, 'client' | 'head'>;
  walletChains: WalletChains;
  accountConfig: Pick<AccountConfig, 'address' | 'chainId' | 'read'>;
  db: Database;
  indexer: Pick<IndexerClient, 'status'>;
  payers: Pick<Outbox, 'status' | 'waiting'>;
  runners: Pick<Runners, 'status'>;
  admission: Pick<Admission, 'held'>;
  checkHealth: HealthCheck<RelayerPart>;
};

export function createOperatorStatus(parts: Parts): () => Promise<DeploymentStatus> {
  const { config, accountConfig, db, runners } = parts;
  return sharedFor(LIFETIME_MS, async () => {
    // The check reads the heads of the chains.
    const health = await parts.checkHealth();
    const [relayers, configuration, payers, chains, queues, keyNodes] = await Promise.all([
      orNull(countRelayers(db)),
      orNull(accountConfig.read('nodeConfigurationValues', [])),
      readPayers({ ...parts, maxPending: config.payers.maxPending }),
      readChains(parts),
      readQueues(parts),
      readKeyNodes(config.keyNodes),
    ]);
    return {
      at: new Date().toISOString(),
      relayers,
      parts: Object.entries(health).map(([name, part]) => ({ name, ...part })),
      contract: {
        address: accountConfig.address,
        chain_id: accountConfig.chainId,
        configuration: configuration && [...configuration],
      },
      payers,
      chains,
      queues,
      runners: runners.status().map(({ isConnected, version: own = null, fault = null, ...rest }) => ({
        ...rest,
        is_connected: isConnected,
        version: own,
        fault,
      })),
      key_group: configuration && keyGroupOf(configuration),
      key_nodes: keyNodes,
    };
  });
}

async function readChains({ walletChains, db }: Parts): Promise<z.output<typeof chainStatus>[]> {
  const counts = await orNull(countPending(db));
  return [...walletChains.values()].map(({ chainId, name, chain }) => {
    const count = counts?.find((found) => found.chainId === chainId);
    return {
      chain_id: chainId,
      name,
      head: Number(chain.head()),
      nodes: chain.nodes().map(({ node, host, isUsed, fault }) => ({
        node,
        host,
        is_used: isUsed,
        works: fault === undefined,
      })),
      pending: counts && (count?.pending ?? 0),
      oldest_pending_sec: count?.oldestSec ?? null,
    };
  });
}

async function readQueues(parts: Parts): Promise<z.output<typeof queueStatus>> {
  const { config, chain, db, indexer, payers, admission } = parts;
  const { maxConcurrentRuns, maxQueuedRuns } = config.runs;
  const [deliveries, indexed] = await Promise.all([orNull(readDeliveries(db)), orNull(indexer.status())]);
  const block = indexed?.block_number ?? null;
  return {
    writes_waiting: payers.waiting(),
    runs: admission.held(),
    max_runs: maxConcurrentRuns + maxQueuedRuns,
    webhook_deliveries: deliveries,
    indexer: indexed && {
      version: indexed.version ?? null,
      block,
      lag_blocks: block === null ? null : Math.max(0, Number(chain.head()) - block),
    },
  };
}
