import type { Head } from '@latchkey/chain/heads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BehindError, type Block } from './blocks.ts';
import type { Endpoint, Views } from './contract.ts';
import { createDecisions, type Decide } from './decisions.ts';
import { hashOf, viewsOf } from './testing.ts';

const MAX_AGE_SEC = 15;
/** Number of the block of the revocation. */
const REVOKED = 11n;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => void vi.useRealTimers());
const nowSec = () => Math.floor(Date.now() / 1_000);
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

/** A chain whose blocks from `REVOKED` on permit nothing. */
function startChain() {
  const blocks: Block[] = [];
  const chain = {
    newest: () => blocks.at(-1) as Block,
    mine() {
      const number = BigInt(blocks.length) + 10n;
      blocks.push({ number, hash: hashOf(number), timestampSec: nowSec() });
      return chain.newest();
    },
    find: (hash: string) => blocks.find((block) => block.hash === hash),
  };
  chain.mine();
  return chain;
}
type Chain = ReturnType<typeof startChain>;

const canExecute = (views: Views) => views.canExecuteAction([1n, 1n]);
const rejectWith = (message: string) => Promise.reject(new Error(message));

/** An honest endpoint, unless changed. `asked` are its calls. */
function endpointOf(chain: Chain) {
  const asked: string[] = [];
  const endpoint = {
    asked,
    async latest() {
      asked.push('latest');
      return chain.newest();
    },
    async block(hash: string) {
      asked.push('block');
      return chain.find(hash) ?? rejectWith('unknown block');
    },
    viewsAt(hash: string) {
      const block = chain.find(hash);
      return viewsOf({
        canExecuteAction() {
          asked.push('view');
          return block ? block.number < REVOKED : rejectWith('unknown block');
        },
      });
    },
  };
  return endpoint satisfies Endpoint;
}

/** An endpoint that is stuck at the newest block of now. With `forging`, it returns the current time as the time of this block. */
function frozen(chain: Chain, forging = false) {
  const last = chain.newest();
  const shown = () => (forging ? { ...last, timestampSec: nowSec() } : last);
  const knows = (hash: string) => (chain.find(hash)?.number ?? 99n) <= last.number;
  const honest = endpointOf(chain);
  return {
    ...honest,
    latest: async () => shown(),
    block: async (hash: string) => (hash === last.hash ? shown() : honest.block(hash)),
    viewsAt: (hash: string) =>
      knows(hash) ? honest.viewsAt(hash) : viewsOf({ canExecuteAction: () => rejectWith('unknown block') }),
  } satisfies Endpoint;
}

const silent: Endpoint = {
  latest: () => new Promise(() => {}),
  block: () => new Promise(() => {}),
  viewsAt: () => viewsOf({ canExecuteAction: () => new Promise(() => {}) }),
};
const down: Endpoint = {
  latest: () => rejectWith('refused'),
  block: () => rejectWith('refused'),
  viewsAt: () => viewsOf({ canExecuteAction: () => rejectWith('refused') }),
};

const decisionsOf = (endpoints: Endpoint[], head?: () => Head | undefined, maxAgeSec = MAX_AGE_SEC) => {
  const blocks: Block[] = [];
  const decide: Decide = createDecisions({
    endpoints,
    maxAgeSec,
    onBlock: (block) => blocks.push(block),
    heads: head && { confirmed: head },
  });
  return { decide, blocks, asks: () => decide(canExecute) };
};

test('reads at the hash of the latest block of one endpoint, with one question before', async () => {
  const chain = startChain();
  const endpoint = endpointOf(chain);
  const { asks, blocks } = decisionsOf([endpoint]);
  expect(await asks()).toEqual({ block: chain.newest(), value: true });
  expect(endpoint.asked).toEqual(['latest', 'view']);
  expect(blocks).toEqual([chain.newest()]);
});

test('reads at the hash of an announced block without another question', async () => {
  const chain = startChain();
  const endpoint = endpointOf(chain);
  const { decide } = decisionsOf([endpoint], () => chain.newest());
  expect((await decide(canExecute, 10n)).block).toEqual(chain.newest());
  expect(endpoint.asked).toEqual(['view']);
  await decide(canExecute, 11n);
  expect(endpoint.asked).toEqual(['view', 'latest', 'view']);
});

test('asks for the latest block when the endpoint does not have the announced one, or that is old', async () => {
  const chain = startChain();
  const endpoint = frozen(chain);
  const announced = chain.mine();
  const behind = decisionsOf([endpoint], () => announced);
  expect(await behind.asks()).toMatchObject({ block: { number: 10n }, value: true });
  await pass(MAX_AGE_SEC + 1);
  chain.mine();
  const stuck = decisionsOf([endpointOf(chain)], () => announced);
  expect(await stuck.asks()).toMatchObject({ block: { number: 12n }, value: false });
});

describe('rejects', () => {
  test('when the newest block is older than the limit', async () => {
    const chain = startChain();
    const { asks, blocks } = decisionsOf([endpointOf(chain)]);
    await pass(MAX_AGE_SEC);
    await asks();
    await pass(1);
    await expect(asks()).rejects.toEqual(new BehindError('the newest block is 16 s old, the limit is 15 s'));
    expect(blocks).toHaveLength(2);
    const unlimited = decisionsOf([endpointOf(chain)], undefined, 0);
    expect(await unlimited.asks()).toMatchObject({ value: true });
  });

  test('when the newest block is ahead of the clock: by a clock that is behind, an old block can look fresh', async () => {
    const chain = startChain();
    await pass(30);
    chain.mine();
    vi.setSystemTime(Date.now() - 6_000);
    const { asks } = decisionsOf([endpointOf(chain)]);
    await expect(asks()).rejects.toEqual(
      new BehindError('the newest block is 6 s ahead of the clock of this node'),
    );
    await pass(1);
    expect(await asks()).toMatchObject({ block: chain.newest() });
  });

  test('when one of two endpoints is down, or gives another answer', async () => {
    const chain = startChain();
    const honest = endpointOf(chain);
    await expect(decisionsOf([honest, down]).asks()).rejects.toThrow('the chain does not answer');
    const lying = { ...honest, viewsAt: () => viewsOf({ canExecuteAction: () => false }) };
    const disagree = new BehindError('fewer than 2 RPC endpoints agree');
    await expect(decisionsOf([honest, lying]).asks()).rejects.toEqual(disagree);
  });

  test('an endpoint of another chain', async () => {
    const other = { ...down, latest: () => Promise.reject(new BehindError('an RPC endpoint is of chain 5')) };
    const chain = startChain();
    await expect(decisionsOf([other]).asks()).rejects.toThrow('of chain 5');
    await expect(decisionsOf([endpointOf(chain), other]).asks()).rejects.toThrow('of chain 5');
  });
});

test('decides by two of three endpoints, while the third is silent, down, behind or lies', async () => {
  const chain = startChain();
  const behind = frozen(chain);
  const forging = frozen(chain, true);
  chain.mine();
  const [a, b] = [endpointOf(chain), endpointOf(chain)];
  const invented = { number: 99n, hash: hashOf(99n), timestampSec: nowSec() };
  const inventing = { ...a, latest: async () => invented };
  const lying = { ...a, viewsAt: () => viewsOf({ canExecuteAction: () => true }) };
  for (const third of [silent, down, behind, forging, inventing, lying])
    for (const endpoints of [
      [a, b, third],
      [third, a, b],
    ])
      expect(await decisionsOf(endpoints).asks()).toEqual({ block: chain.newest(), value: false });
});

test('decides by the newest block that two of two endpoints have', async () => {
  const chain = startChain();
  const late = frozen(chain);
  const { asks } = decisionsOf([endpointOf(chain), late]);
  chain.mine();
  expect(await asks()).toMatchObject({ block: { number: 10n }, value: true });
});

/** Whether a node with these endpoints permits at each second from the revocation on, while the chain goes on every second. */
async function permitsAfterRevocation(
  endpoints: (chain: Chain) => Endpoint[],
  head?: (chain: Chain) => Head,
) {
  const chain = startChain();
  const known = endpoints(chain);
  const announced = head?.(chain);
  const { asks } = decisionsOf(known, head && (() => announced));
  const seconds: number[] = [];
  for (let second = 0; second < 70; second++) {
    if (second > 0) await pass(1);
    chain.mine();
    const decided = await asks().catch(() => undefined);
    if (decided?.value) seconds.push(second);
  }
  return seconds;
}

test.each<[string, (chain: Chain) => Endpoint[], number]>([
  ['one endpoint that is stuck', (chain) => [frozen(chain)], MAX_AGE_SEC],
  ['two that are stuck', (chain) => [frozen(chain), frozen(chain)], MAX_AGE_SEC],
  ['one that is stuck of two', (chain) => [frozen(chain), endpointOf(chain)], MAX_AGE_SEC],
  ['one that forges times of two', (chain) => [frozen(chain, true), endpointOf(chain)], MAX_AGE_SEC],
  [
    'one that is stuck and one that forges times',
    (chain) => [frozen(chain, true), frozen(chain)],
    MAX_AGE_SEC,
  ],
  [
    'one that forges times of three',
    (chain) => [frozen(chain, true), endpointOf(chain), endpointOf(chain)],
    -1,
  ],
])(
  'a node stuck before a revocation, with %s, permits for the limit at most',
  async (_, endpoints, limit) => {
    const last = Math.max(-1, ...(await permitsAfterRevocation(endpoints)));
    expect(last).toBeLessThanOrEqual(limit);
    // The same when an endpoint announces its last block again and again, with several endpoints also with forged times.
    const isSingle = endpoints(startChain()).length === 1;
    for (const aheadSec of isSingle ? [0] : [0, 4, 60]) {
      const head = (chain: Chain) => ({ ...chain.newest(), timestampSec: nowSec() + aheadSec });
      const announced = await permitsAfterRevocation(endpoints, head);
      expect(Math.max(-1, ...announced)).toBeLessThanOrEqual(MAX_AGE_SEC);
    }
  },
);
