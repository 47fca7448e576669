/** The memory of the relayer per account, key, address, CID or page, each with stand-ins for what it asks. */
import { createRateLimit, requestKeyHash } from '@latchkey/http';
import { createLogger } from '@latchkey/service/logger';
import { createSparseLog } from '@latchkey/service/sparse-log';
import { createActivity, createTurns } from '@latchkey/service/turns';
import type { Passings } from '@latchkey/testing/heap';
import { z } from 'zod';
import { createKeyRegistry } from '../src/auth/key-registry.ts';
import { createMinBlockWait } from '../src/auth/min-block.ts';
import { createRunWatch } from '../src/auth/run-watch.ts';
import { createAccountHeads } from '../src/db/account-heads.ts';
import { createActionKeys } from '../src/keys/action-keys.ts';
import { knownCidOf } from '../src/known-cids.ts';
import { createLists } from '../src/lists.ts';
import { createAdmission } from '../src/runners/admission.ts';

const log = createLogger({ name: 'accounts', level: 'silent' });
const chain = { head: () => 7n, refreshHead: async () => 7n, reach: async () => {} };
const noRows = { select: () => ({ from: () => ({ where: async () => [] }) }) };
const wallet = '0x0000000000000000000000000000000000000001';

/** The key with this hash belongs to the account with the same number. */
const accountState = async (_name: string, [hash]: [bigint]) => ({
  state: 1,
  masterApiKeyHash: hash,
  adminWalletAddress: wallet,
  managed: true,
  accepted: true,
  expiration: 0n,
});

const address = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

export function openPassings(): Passings {
  const heads = createAccountHeads(noRows as never, { solePeriod: () => 1 });
  const read = accountState as never;
  const registry = createKeyRegistry(chain as never, { read }, heads);
  const lists = createLists(
    { list: async () => ({ items: ['an item'], total: '1', blockNumber: '7' }) as never },
    { isWatching: () => true, maxBytes: 10 * 1024 * 1024 },
  );
  const watch = createRunWatch({ read: (async () => true) as never }, log);
  const admission = createAdmission({
    maxConcurrentRuns: 2_000,
    maxConcurrentRunsPerAccount: 1,
    maxQueuedRuns: 0,
    maxQueuedRunsPerAccount: 0,
  });
  const limit = createRateLimit({ name: 'test', points: 1, message: '' });
  const turns = createTurns<bigint>(
    { inProgress: 10, few: 8, manyPerSecond: 1_000, waiting: 1_024, waitingPerAccount: 64 },
    createActivity(),
  );
  const sparse = createSparseLog();
  const waitForBlock = createMinBlockWait({ head: () => 0n, reach: async () => {} });
  const actionKeys = createActionKeys({ db: noRows as never, runners: {} as never, log });
  const query = { page_number: 0, page_size: 100 };
  const schema = z.array(z.string());
  return {
    'keys and heads of accounts': { accounts: 55_000, pass: (n) => registry.find(BigInt(n), 0n) },
    'hashes of keys': { accounts: 12_000, pass: (n) => requestKeyHash({}, `key ${n}`) },
    'pages of lists': {
      accounts: 12_000,
      pass: async (n) => {
        const reader = { account: BigInt(n), accountHead: 0n, minBlock: 0n };
        await lists.read(reader, { list: 'groups', query, schema });
      },
    },
    'changes of accounts': { accounts: 55_000, pass: (n) => lists.drop(BigInt(n), 7n) },
    'watches of runs': {
      accounts: 20_000,
      pass: async (n) => {
        using _running = watch.watch({ account: BigInt(n), key: BigInt(n), cidHash: 1n, expiration: 0n });
        watch.recheck(BigInt(n));
        await Promise.resolve();
      },
    },
    'admissions of runs': {
      accounts: 20_000,
      pass: async (n) => {
        using place = admission.admit(BigInt(n));
        place.holdCode(10);
        await Promise.resolve();
      },
    },
    'points of addresses': { accounts: 110_000, pass: (n) => limit.take(address(n)) },
    'turns of accounts': {
      accounts: 10_000,
      pass: async (n) => {
        using _turn = await turns(BigInt(n));
      },
    },
    'lines of addresses': { accounts: 20_000, pass: (n) => sparse(address(n), () => {}) },
    'waits for blocks': { accounts: 20_000, pass: (n) => waitForBlock(1n, address(n)) },
    'CIDs of code': { accounts: 2_500, pass: (n) => knownCidOf(`code ${n} ${' '.repeat(8_000)}`) },
    'keys of actions': {
      accounts: 12_000,
      pass: (n) => actionKeys.certificateOf(`cid ${n}`).catch(() => {}),
    },
  };
}
