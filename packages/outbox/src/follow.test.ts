import type { Chain } from '@latchkey/chain/chain';
import { SignerError } from '@latchkey/chain/errors';
import { createLogger } from '@latchkey/service/logger';
import { TransactionReceiptNotFoundError } from 'viem';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createFollow } from './follow.ts';
import { reprice as repriceOfPayer } from './reprice.ts';
import type { Fees, Signed, Store, StoredTransaction } from './store.ts';

const HOUR_MS = 3_600_000;
const GWEI = 10n ** 9n;

const transaction: StoredTransaction = {
  id: 'one',
  payer: `0x${'01'.repeat(20)}`,
  nonce: 0,
  data: '0x',
  gas: 1n,
  maxFeePerGas: 10n * GWEI,
  maxPriorityFeePerGas: GWEI,
  raw: '0x',
  hashes: ['0x'],
  status: 'pending',
  minedHash: null,
  blockNumber: null,
  droppedAt: null,
  cancelRequestedAt: null,
  account: 1n,
};

type Node = { market: Fees; hasBlocks: boolean; feeCeiling?: bigint; canSign?: boolean };

/** Follows a transaction that is never mined for an hour of a clock that runs while nothing is awaited. */
async function followForAnHour(node: Node) {
  let clockMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clockMs);
  const closing = new AbortController();
  const repriced: Fees[] = [];
  let broadcasts = 0;
  const client = {
    getTransactionReceipt: async () => {
      throw new TransactionReceiptNotFoundError({ hash: '0x' });
    },
    getTransactionCount: async () => transaction.nonce,
    getBlock: async () => ({
      baseFeePerGas: (node.market.maxFeePerGas - node.market.maxPriorityFeePerGas) / 2n,
    }),
    estimateMaxPriorityFeePerGas: async () => node.market.maxPriorityFeePerGas,
  };
  const awaitLog = async (_hashes: unknown, timeoutMs: number) => {
    clockMs += timeoutMs;
    if (clockMs > HOUR_MS) closing.abort(new Error('the hour is over'));
    return false;
  };
  const refreshHead = async () => (node.hasBlocks ? BigInt(Math.floor(clockMs / 2_000)) : 7n);
  const agreed = (question: (asked: typeof client) => unknown) => question(client);
  const ofNodes = { client, agreed, heldByTwo: agreed };
  const chain = { ...ofNodes, awaitLog, refreshHead, isPushing: () => true } as unknown as Chain;
  const reprice = async (_id: string, _signed: unknown, fees: Fees) => {
    repriced.push(fees);
  };
  const log = createLogger({ name: 'test', level: 'silent' });
  const store = { touch: async () => undefined, reprice } as unknown as Store;
  const sign = async (): Promise<Signed> => {
    if (node.canSign === false) throw new SignerError('no key');
    return { raw: '0x', hash: '0x' };
  };
  const { feeCeiling } = node;
  const follow = createFollow({
    chain,
    store,
    reprice: (known) => repriceOfPayer({ chain, store, sign, feeCeiling, log }, known),
    broadcast: async () => {
      broadcasts++;
      return ['accepted'];
    },
    renumber: async (known) => known,
    isReached: async () => true,
    mark: async (known) => known,
    onSettled: () => {},
    repriceAfterMs: 30_000,
    confirmations: 1,
    log,
    signal: closing.signal,
  });
  await expect(follow(transaction, 'accepted')).rejects.toThrow('the hour is over');
  return { repriced, broadcasts };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a transaction that is not mined', () => {
  const market = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };

  test('keeps its fees and is rebroadcast while the chain makes no blocks', async () => {
    const { repriced, broadcasts } = await followForAnHour({ market, hasBlocks: false });
    expect(repriced).toEqual([]);
    expect(broadcasts).toBeGreaterThan(300);
  });

  test('is repriced by an eighth up to eight times the market, and then rebroadcast', async () => {
    const { repriced, broadcasts } = await followForAnHour({ market, hasBlocks: true });
    expect(repriced[0]).toEqual({ maxFeePerGas: 11_250_000_001n, maxPriorityFeePerGas: 1_125_000_001n });
    const { maxFeePerGas, maxPriorityFeePerGas } = repriced.at(-1) as Fees;
    for (const [fee, current] of [
      [maxFeePerGas, market.maxFeePerGas],
      [maxPriorityFeePerGas, market.maxPriorityFeePerGas],
    ] as const) {
      expect(fee).toBeGreaterThan(7n * current);
      expect(fee).toBeLessThanOrEqual(8n * current);
    }
    expect(broadcasts).toBeGreaterThan(300);
  });

  test('is rebroadcast at its price while its payer cannot sign', async () => {
    const { repriced, broadcasts } = await followForAnHour({ market, hasBlocks: true, canSign: false });
    expect(repriced).toEqual([]);
    expect(broadcasts).toBeGreaterThan(300);
  });

  test('is repriced up to the ceiling', async () => {
    const { repriced } = await followForAnHour({ market, hasBlocks: true, feeCeiling: 12n * GWEI });
    expect(repriced.map(({ maxFeePerGas }) => maxFeePerGas)).toEqual([11_250_000_001n]);
  });

  test('is repriced to a maximum fee of the market on a chain without tips', async () => {
    const node = { market: { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 0n }, hasBlocks: true };
    const { repriced } = await followForAnHour(node);
    expect(repriced).toEqual([{ maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 1_125_000_001n }]);
  });
});
