/** Transactions of wallets, on each of their chains. */
import type { Chain } from '@latchkey/chain/chain';
import { createConcurrencyLimit } from '@latchkey/http';
import { createWalletStore, openWalletOutbox, type WalletOutbox } from '@latchkey/outbox';
import { type Activity, createTurns } from '@latchkey/service/turns';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { addWalletMetrics } from '../metrics.ts';
import { type CallNode, createNodeCalls } from '../runs/node-calls.ts';
import { openWalletChains, type WalletChains } from '../wallet-transactions/chains.ts';
import { createSendWalletTransaction } from '../wallet-transactions/send.ts';
import type { SendWalletTransaction } from '../wallet-transactions/types.ts';
import type { Every } from './timers.ts';

const RECHECK_MS = 10_000;
/** Transactions that this process prepares and has signed concurrently. */
const IN_PROGRESS = 128;
/** Sends of an account up to which it has few. */
const FEW = 2;
const WAITING = 2_048;
/** Streams of the owner of an account, and of its usage keys together: each reads its changes twice a second. */
const STREAMS = 5;

type Parts = {
  chain: Chain;
  db: Database;
  activity: Activity<bigint | string>;
  log: Logger;
  metrics: Registry;
};

export type Wallets = {
  /** Calls a node for an action. */
  callNode: CallNode;
  walletChains: WalletChains;
  walletOutboxes: ReadonlyMap<number, WalletOutbox>;
  sendWalletTransaction: SendWalletTransaction;
  transactionStreams: {
    limit: ReturnType<typeof createConcurrencyLimit>;
    /** Aborted when the relayer stops. */
    ending: AbortSignal;
    end: () => void;
  };
};

export function openWallets(
  config: Config,
  { chain, db, activity, log, metrics }: Parts,
  resources: AsyncDisposableStack,
  every: Every,
): Wallets {
  const { wallets: limits, payers } = config;
  const chains = openWalletChains(config, chain, log, resources);
  const takeTurn = createTurns(
    {
      inProgress: IN_PROGRESS,
      few: FEW,
      manyPerSecond: payers.manyPerSecond,
      waiting: WAITING,
      waitingPerAccount: limits.maxPendingPerAccount,
    },
    activity,
  );
  const onRepriced = addWalletMetrics(metrics, db);
  const outboxes = new Map<number, WalletOutbox>();
  for (const { chain: used, chainId, confirmations } of chains.values()) {
    const store = createWalletStore(db, chainId, limits);
    const { repriceAfterMs } = payers;
    const outbox = openWalletOutbox({
      chain: used,
      store,
      takeTurn,
      repriceAfterMs,
      confirmations,
      onRepriced,
      log: log.child({ chain_id: chainId }),
    });
    outboxes.set(chainId, outbox);
    resources.defer(outbox.close);
    // Not awaited: a chain of others can be out of reach.
    void outbox.start();
    every(RECHECK_MS, `recheck transactions of wallets on chain ${chainId}`, outbox.recheck);
  }
  const ending = new AbortController();
  return {
    callNode: createNodeCalls({ activity, clientOf: (id) => chains.get(id)?.chain.client }),
    walletChains: chains,
    walletOutboxes: outboxes,
    sendWalletTransaction: createSendWalletTransaction({ chains, outboxes, timeoutMs: payers.timeoutMs }),
    transactionStreams: {
      limit: createConcurrencyLimit({
        max: STREAMS,
        message: `The owner of an account can read ${STREAMS} concurrent streams of transactions, and its usage keys together ${STREAMS}.`,
      }),
      ending: ending.signal,
      end: () => ending.abort(),
    },
  };
}
