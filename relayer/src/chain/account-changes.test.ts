import { accountConfigAbi } from '@latchkey/protocol';
import { createLogger } from '@latchkey/service/logger';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { encodeEventTopics, type Log } from 'viem';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { changeCaps, readCaps } from '../billing/caps.ts';
import { hashText } from '../db/text.ts';
import { createAccountChanges } from './account-changes.ts';

const database = disposeAfterAll(await openTestDatabase());

const caps = {
  spendCapCents: 10,
  spendWindowSec: null,
  maxRunsPerMinute: null,
  maxConcurrency: null,
  maxRunSec: null,
};
const ignore = { drop() {}, recheck() {} };
const memories = { keyRegistry: ignore, lists: ignore, runWatch: ignore };

/** The log of the rotation of a key, in block 2. */
function rotation(usageApiKeyHash: bigint, newUsageApiKeyHash: bigint): Log {
  const args = { masterApiKeyHash: 9n, usageApiKeyHash, newUsageApiKeyHash };
  const topics = encodeEventTopics({ abi: accountConfigAbi, eventName: 'UsageApiKeyRotated', args });
  return {
    topics,
    data: '0x',
    blockNumber: 2n,
    blockHash: '0xb2',
    logIndex: 0,
    transactionIndex: 0,
  } as unknown as Log;
}

/** Reports a log to a relayer whose nodes answer so, one answer after the other. */
function report(log: Log, ...answers: (() => Promise<Log[]>)[]): void {
  const chain = {
    head: () => 2n,
    reach: async () => {},
    agreed: () => answers.shift()?.() ?? Promise.resolve([]),
  };
  createAccountChanges(memories as never)
    .follow({
      chain: chain as never,
      contract: '0x00000000000000000000000000000000000000Aa',
      db: database.db,
      log: createLogger({ name: 'test', level: 'silent' }),
    })
    .onLogs([log]);
}
const capOf = async (key: bigint) =>
  (await readCaps(database.db, [hashText(key)])).get(hashText(key))?.spendCapCents;
const setCap = (key: bigint) =>
  changeCaps(database.db, { key: hashText(key), caps }, { blockNumber: 1n, transactionIndex: 0 });

test('caps move with a rotated key, also when the nodes contradict each other at first', async () => {
  await setCap(1n);
  const log = rotation(1n, 2n);
  report(
    log,
    () => Promise.reject(new Error('RPC nodes contradict each other')),
    async () => [log],
  );
  await until('the caps have moved', async () => (await capOf(2n)) === 10);
  expect(await capOf(1n)).toBeUndefined();
});

test('caps stay when only the node that reports the log has it', async () => {
  await setCap(3n);
  await setCap(5n);
  const [forged, real] = [rotation(3n, 4n), rotation(5n, 6n)];
  report(forged, async () => [real]);
  report(real, async () => [real]);
  await until('the caps of the real one have moved', async () => (await capOf(6n)) === 10);
  expect(await capOf(3n)).toBe(10);
});
