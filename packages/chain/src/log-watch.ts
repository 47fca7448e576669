import { setTimeout as delay } from 'node:timers/promises';
import { type Address, formatLog, type Hex, type Log, type PublicClient, type RpcLog } from 'viem';
import { createLoggedTransactions } from './logged-transactions.ts';
import { keepOpen, openSockets } from './socket.ts';

const TIMEOUT_MS = 10_000;

type Listener = { onLogs: (logs: Log[]) => void; onError: (error: unknown) => void; onResumed: () => void };

export type LogWatch = {
  /**
   * Calls back with every new log of `address`, and with an error when the subscription is lost: until `onResumed`, logs can be
   * missing.
   */
  watch: (address: Address, listener: Listener) => void;
  /** False until the first subscription, and from an error of a subscription until its restart. */
  isWatching: () => boolean;
  /** True while logs are pushed, as far as this process knows. */
  isPushing: () => boolean;
  /** Resolves to true when `watch` got a log of one of these transactions, to false after `timeoutMs` or an abort. */
  awaitLog: (hashes: readonly Hex[], timeoutMs: number, signal: AbortSignal) => Promise<boolean>;
  close: () => Promise<void>;
};

type LogWatchOptions = {
  client: PublicClient;
  /** Endpoints of subscriptions: a lost one is opened again at the next. Empty: logs are polled. */
  wsUrls: readonly string[];
  pollingIntervalMs: number;
  /** Called with the block of each log. */
  saw: (block: bigint) => void;
};

/** Watches logs; a lost subscription is opened again. */
export function createLogWatch({ client, wsUrls, pollingIntervalMs, saw }: LogWatchOptions): LogWatch {
  const sockets = wsUrls.length === 0 ? undefined : openSockets(wsUrls, TIMEOUT_MS);
  const logged = createLoggedTransactions();
  const ends: (() => void)[] = [];
  let isWatching = false;

  return {
    watch(address, { onLogs, onError, onResumed }) {
      let stop = () => {};
      let wasLost = false;
      const take = (logs: Log[]): void => {
        for (const { blockNumber, transactionHash, removed } of logs) {
          if (blockNumber !== null) saw(blockNumber);
          if (transactionHash !== null && !removed) logged.add(transactionHash);
        }
        onLogs(logs);
      };
      const open = async (lose: (error: unknown) => void): Promise<void> => {
        if (sockets)
          return sockets
            .next()
            .subscribe(['logs', { address }], (log) => take([formatLog(log as RpcLog)]), lose);
        stop = client.watchEvent({ address, onLogs: take, onError: lose });
        // By then a node that answers has the filter of the first poll.
        await delay(pollingIntervalMs);
      };
      const end = keepOpen(open, {
        open() {
          isWatching = true;
          if (wasLost) onResumed();
        },
        lost(error) {
          isWatching = false;
          wasLost = true;
          stop();
          onError(error);
        },
      });
      ends.push(end, () => stop());
    },
    isWatching: () => isWatching,
    isPushing: () => isWatching && sockets !== undefined,
    awaitLog: logged.wait,
    async close() {
      for (const end of ends) end();
      sockets?.close();
    },
  };
}
