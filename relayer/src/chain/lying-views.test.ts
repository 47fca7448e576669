/** Views as one of several RPC nodes invents them: owners of keys, permissions, signatures of wallets, a head of the far future. */
import { ChainUnavailableError } from '@latchkey/chain/errors';
import { accountConfigAbi, apiKeyHash, cidHash } from '@latchkey/protocol';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { decodeFunctionData, encodeFunctionResult, type Hex, zeroAddress } from 'viem';
import { expect, test } from 'vitest';
import { connectToLiar } from '../../test/lying-node.ts';
import { openOutboxFixture } from '../../test/outbox-fixture.ts';
import { createKeyRegistry } from '../auth/key-registry.ts';
import { createViews } from './account-config.ts';

const VICTIM = apiKeyHash('the key of another account');
const STRANGER = apiKeyHash('a key without an account');
const CID_HASH = cidHash('QmT5NvUtoM5nWFfrQdVrFtvGfKFmG7AHE8P34isapyhCxX');
const FUTURE = 10n ** 15n;

const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 1 }));

const invented: Record<string, unknown> = {
  accountState: {
    state: 2,
    masterApiKeyHash: VICTIM,
    adminWalletAddress: zeroAddress,
    managed: true,
    accepted: true,
    giver: zeroAddress,
    rotated: false,
    frozen: false,
    expiration: 0n,
  },
  canExecuteAction: true,
  isValidWalletSignature: true,
};

/** Says yes to everything that permits something, and tells a block of the far future. */
function lie({ method, params }: { method: string; params: unknown[] }, result: unknown): unknown {
  if (method === 'eth_blockNumber') return `0x${FUTURE.toString(16)}`;
  if (method !== 'eth_call') return result;
  const { data } = params[0] as { data: Hex };
  const { functionName } = decodeFunctionData({ abi: accountConfigAbi, data });
  if (!(functionName in invented)) return result;
  return encodeFunctionResult({
    abi: accountConfigAbi,
    functionName,
    result: invented[functionName],
  } as never);
}

/** Opens the views over one node that lies and some that do not. */
async function openViews(honest: number) {
  const connected = await connectToLiar(fixture.anvil.url, lie, honest);
  const views = createViews(connected.chain, fixture.contract);
  const registry = createKeyRegistry(connected.chain, views, { get: async () => 0n });
  return Object.assign(connected, { views, registry });
}

test('a stranger owns no key and has no permission while two of three nodes are honest, and the third one is named', async () => {
  await using opened = await openViews(2);
  const { views, registry, faults } = opened;
  expect(await registry.find(STRANGER, 0n)).toBeUndefined();
  expect(await views.read('canExecuteAction', [STRANGER, CID_HASH])).toBe(false);
  expect(await views.read('isValidWalletSignature', [zeroAddress, `0x${'11'.repeat(32)}`, '0x'])).toBe(false);
  expect(faults).toEqual([expect.stringMatching(/^1: its (?:answer differs|head is \d+ blocks ahead)/)]);
});

test('of two nodes that contradict each other none is believed', async () => {
  await using opened = await openViews(1);
  await expect(opened.registry.find(STRANGER, 0n)).rejects.toThrow(ChainUnavailableError);
});

test('a head of the far future is not believed, and the other nodes go on when the node that told it is dead', async () => {
  await using opened = await openViews(2);
  const { chain, liar, views } = opened;
  await chain.refreshHead();
  expect(chain.head()).toBeLessThan(FUTURE);
  liar.broken = true;
  expect(await views.read('canExecuteAction', [STRANGER, CID_HASH])).toBe(false);
  await expect(chain.client.getChainId()).resolves.toBe(31_337);
  await expect(chain.reach(FUTURE)).rejects.toMatchObject({ isFarAhead: true });
});
