/** Drops the cached state of accounts that changed on the chain. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Chain, readAccount } from '@latchkey/chain/chain';
import { withoutUrl } from '@latchkey/chain/errors';
import type { OutboxOptions } from '@latchkey/outbox';
import type { Logger } from 'pino';
import type { Address } from 'viem';
import type { KeyRegistry } from '../auth/key-registry.ts';
import type { RunWatch } from '../auth/run-watch.ts';
import { followKeys } from '../billing/caps.ts';
import type { AccountHeads } from '../db/account-heads.ts';
import type { Database } from '../db/database.ts';
import type { Processes } from '../db/processes.ts';
import type { Lists } from '../lists.ts';
import type { createGasCounter } from '../metrics.ts';
import { isOnChain } from './agreed-logs.ts';

const RETRIES_MS = [500, 5_000, 30_000];

type Memories = {
  accountHeads: Pick<AccountHeads, 'raised'>;
  keyRegistry: Pick<KeyRegistry, 'drop'>;
  lists: Pick<Lists, 'drop'>;
  runWatch: Pick<RunWatch, 'recheck'>;
  processes: Pick<Processes, 'ensureMember'>;
  countGas: ReturnType<typeof createGasCounter>;
};

export type AccountChanges = {
  settled: OutboxOptions['onSettled'];
  /** Returns the listener of the contract's logs. */
  follow: (options: {
    chain: Pick<Chain, 'head' | 'agreed' | 'reach'>;
    contract: Address;
    db: Database;
    log: Logger;
  }) => Parameters<Chain['watch']>[1];
};

export function createAccountChanges(memories: Memories): AccountChanges {
  const { accountHeads, keyRegistry, lists, runWatch, processes, countGas } = memories;
  const assumeAllChanged = (): void => {
    keyRegistry.drop();
    lists.drop();
    runWatch.recheck();
  };
  return {
    async settled({ account, data }, receipt) {
      countGas(data, receipt);
      if (receipt.status !== 'success') return;
      accountHeads.raised(account, receipt.blockNumber);
      keyRegistry.drop(account);
      lists.drop(account);
      runWatch.recheck(account, receipt.blockNumber);
      await processes.ensureMember();
    },
    follow: ({ chain, contract, db, log }) => ({
      onLogs(logs) {
        for (const entry of logs) {
          const account = readAccount(entry);
          keyRegistry.drop(account);
          // After a reorg the indexer can still serve the replaced blocks, so keep no list until it is past the last one seen.
          lists.drop(account, entry.removed ? chain.head() + 1n : (entry.blockNumber ?? 0n));
        }
        for (const account of new Set(logs.map(readAccount))) runWatch.recheck(account);
        for (const entry of logs)
          void retrying(
            () => followKeys(db, [entry], (found) => isOnChain(chain, contract, found)),
            (err) => log.warn({ err: withoutUrl(err) }, 'failed to update caps of rotated and removed keys'),
          );
      },
      onError(error) {
        assumeAllChanged();
        log.warn({ err: withoutUrl(error) }, 'log subscription failed: some logs can be missing');
      },
      onResumed: assumeAllChanged,
    }),
  };
}

/** No log comes twice, and its nodes or the database can be out of reach for a moment. */
async function retrying(work: () => Promise<void>, onGivenUp: (error: unknown) => void): Promise<void> {
  for (const retryMs of [...RETRIES_MS, undefined])
    try {
      return await work();
    } catch (error) {
      if (retryMs === undefined) onGivenUp(error);
      else await delay(retryMs, undefined, { ref: false });
    }
}
