/** Drops the cached state of accounts that changed on the chain. */
import { type Chain, readAccount } from '@latchkey/chain/chain';
import { withoutUrl } from '@latchkey/chain/errors';
import type { OutboxOptions } from '@latchkey/outbox';
import type { Logger } from 'pino';
import type { KeyRegistry } from '../auth/key-registry.ts';
import type { RunWatch } from '../auth/run-watch.ts';
import { followKeys, type IsUsageKey } from '../billing/caps.ts';
import type { AccountHeads } from '../db/account-heads.ts';
import type { Database } from '../db/database.ts';
import type { Processes } from '../db/processes.ts';
import type { Lists } from '../lists.ts';
import type { createGasCounter } from '../metrics.ts';

type Memories = {
  accountHeads: Pick<AccountHeads, 'raised'>;
  keyRegistry: Pick<KeyRegistry, 'drop' | 'findRecent'>;
  lists: Pick<Lists, 'drop'>;
  runWatch: Pick<RunWatch, 'recheck'>;
  processes: Pick<Processes, 'ensureMember'>;
  countGas: ReturnType<typeof createGasCounter>;
};

export type AccountChanges = {
  settled: OutboxOptions['onSettled'];
  /** Returns the listener of the contract's logs. */
  follow: (chain: Pick<Chain, 'head'>, db: Database, log: Logger) => Parameters<Chain['watch']>[1];
};

export function createAccountChanges(memories: Memories): AccountChanges {
  const { accountHeads, keyRegistry, lists, runWatch, processes, countGas } = memories;
  const assumeAllChanged = (): void => {
    keyRegistry.drop();
    lists.drop();
    runWatch.recheck();
  };
  const isUsageKey: IsUsageKey = async (hash, block) =>
    (await keyRegistry.findRecent(hash, block))?.isUsageKey ?? false;
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
    follow: (chain, db, log) => ({
      onLogs(logs) {
        for (const entry of logs) {
          const account = readAccount(entry);
          keyRegistry.drop(account);
          // After a reorg the indexer can still serve the replaced blocks, so keep no list until it is past the last one seen.
          lists.drop(account, entry.removed ? chain.head() + 1n : (entry.blockNumber ?? 0n));
        }
        for (const account of new Set(logs.map(readAccount))) runWatch.recheck(account);
        for (const entry of logs)
          followKeys(db, [entry], isUsageKey).catch((err: unknown) =>
            log.warn({ err: withoutUrl(err) }, 'failed to update caps of rotated and removed keys'),
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
