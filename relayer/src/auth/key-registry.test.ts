import { describe, expect, test } from 'vitest';
import { createKeyRegistry } from './key-registry.ts';

/** Numbers of `HashState` of the contract. */
const hashState = { account: 1, usageKey: 2, waiting: 3 };

const KEY = 5n;
const ACCOUNT = 7n;

/** A chain with one key, KEY of ACCOUNT, until it is removed. */
function createRegistry() {
  const state = {
    head: 10n,
    isRemoved: false,
    written: 0n,
    reads: 0,
    refreshes: 0,
    beforeAnswer: async () => {},
    hashState: hashState.usageKey,
    isAccepted: true,
  };
  const registry = createKeyRegistry(
    {
      head: () => state.head,
      refreshHead: async () => {
        state.refreshes++;
        state.head ||= 10n;
        return state.head;
      },
      reach: async (block) => {
        if (block > state.head) state.head = block;
      },
    },
    {
      read: (async (name: string) => {
        expect(name).toBe('accountState');
        state.reads++;
        const named = { masterApiKeyHash: ACCOUNT, adminWalletAddress: '0x', expiration: 0n };
        const answer = {
          state: state.isRemoved ? 0 : state.hashState,
          ...named,
          managed: true,
          accepted: state.isAccepted,
        };
        await state.beforeAnswer();
        return answer;
      }) as never,
    },
    { get: async () => state.written },
  );
  return { state, registry };
}

test('reads the chain once for many requests', async () => {
  const { state, registry } = createRegistry();
  for (let i = 0; i < 5; i++)
    expect(await registry.find(KEY, 0n)).toMatchObject({ account: ACCOUNT, minBlock: 0n });
  expect(state.reads).toBe(1);
});

test('reads the head of the chain first when it is not known', async () => {
  const { state, registry } = createRegistry();
  state.head = 0n;
  expect(await registry.findRecent(KEY, 0n)).toMatchObject({ block: 10n });
  registry.drop();
  await registry.findRecent(KEY, 0n);
  expect(state).toMatchObject({ reads: 2, refreshes: 1 });
});

test('does not read a key again for a write that its state has', async () => {
  const { state, registry } = createRegistry();
  state.written = 10n;
  for (let i = 0; i < 2; i++) expect(await registry.find(KEY, 0n)).toMatchObject({ accountHead: 10n });
  expect(state.reads).toBe(1);
});

describe('refuses a removed key', () => {
  test('after its account was dropped', async () => {
    const { state, registry } = createRegistry();
    await registry.find(KEY, 0n);
    state.isRemoved = true;
    registry.drop(8n);
    expect(await registry.find(KEY, 0n)).toBeDefined();
    registry.drop(ACCOUNT);
    expect(await registry.find(KEY, 0n)).toBeUndefined();
  });

  test('after another process wrote to the account and before the log arrives', async () => {
    const { state, registry } = createRegistry();
    await registry.find(KEY, 0n);
    Object.assign(state, { isRemoved: true, written: 12n });
    expect(await registry.find(KEY, 0n)).toBeUndefined();
  });

  test('when the caller requires a later block', async () => {
    const { state, registry } = createRegistry();
    await registry.find(KEY, 0n);
    state.isRemoved = true;
    expect(await registry.find(KEY, 11n)).toBeUndefined();
  });

  test('when the account is dropped during the lookup: the old result is not cached', async () => {
    const { state, registry } = createRegistry();
    state.beforeAnswer = async () => {
      state.isRemoved = true;
      registry.drop(ACCOUNT);
    };
    expect(await registry.find(KEY, 0n)).toBeDefined();
    expect(await registry.find(KEY, 0n)).toBeUndefined();
  });
});

test('does not keep the account that a wallet had before it opened its own', async () => {
  const { state, registry } = createRegistry();
  expect(await registry.find(KEY, 0n)).toMatchObject({ account: ACCOUNT });
  state.isRemoved = true;
  registry.drop(KEY);
  expect(await registry.find(KEY, 0n)).toBeUndefined();
});

test('reads see the last write and X-Min-Block, whichever is later', async () => {
  const { state, registry } = createRegistry();
  state.written = 12n;
  expect(await registry.find(KEY, 0n)).toMatchObject({ minBlock: 12n });
  expect(await registry.find(KEY, 15n)).toMatchObject({ minBlock: 15n });
});

describe('an unknown hash', () => {
  test('is looked up once for concurrent and immediately following requests', async () => {
    const { state, registry } = createRegistry();
    state.isRemoved = true;
    const answers = await Promise.all(Array.from({ length: 50 }, () => registry.find(KEY, 0n)));
    expect(answers.every((answer) => answer === undefined)).toBe(true);
    expect(await registry.find(KEY, 0n)).toBeUndefined();
    expect(state.reads).toBe(1);
    expect(registry.isKnown(KEY)).toBe(false);
  });

  test.each([
    [
      'a newer block was seen',
      (state: ReturnType<typeof createRegistry>['state']) => {
        state.head++;
      },
    ],
    [
      'an account was dropped',
      (_state: unknown, registry: ReturnType<typeof createRegistry>['registry']) => registry.drop(8n),
    ],
  ])('is looked up again after %s', async (_what, happen) => {
    const { state, registry } = createRegistry();
    state.isRemoved = true;
    expect(await registry.find(KEY, 0n)).toBeUndefined();
    state.isRemoved = false;
    happen(state, registry);
    expect(await registry.find(KEY, 0n)).toBeDefined();
    expect(registry.isKnown(KEY)).toBe(true);
  });

  test('is looked up again when the caller requires a later block', async () => {
    const { state, registry } = createRegistry();
    state.isRemoved = true;
    expect(await registry.find(KEY, 0n)).toBeUndefined();
    state.isRemoved = false;
    expect(await registry.find(KEY, 11n)).toBeDefined();
  });

  test('does not share a lookup that began before the block that created the key', async () => {
    const { state, registry } = createRegistry();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.isRemoved = true;
    state.beforeAnswer = () => promise;
    const early = registry.find(KEY, 0n);
    await expect.poll(() => state.reads).toBe(1);
    Object.assign(state, { isRemoved: false, head: 11n });
    const late = registry.find(KEY, 0n);
    resolve();
    expect(await early).toBeUndefined();
    expect(await late).toBeDefined();
    expect(await registry.find(KEY, 0n)).toBeDefined();
  });
});

test('remembers a known key until it is found removed', async () => {
  const { state, registry } = createRegistry();
  await registry.find(KEY, 0n);
  registry.drop(ACCOUNT);
  expect(registry.isKnown(KEY)).toBe(true);
  state.isRemoved = true;
  expect(await registry.find(KEY, 0n)).toBeUndefined();
  expect(registry.isKnown(KEY)).toBe(false);
});

describe('findUnaccepted', () => {
  test('returns the account that was transferred, by the names that it has', async () => {
    const { state, registry } = createRegistry();
    expect(await registry.findUnaccepted(KEY, 0n)).toBeUndefined();
    registry.drop(ACCOUNT);
    state.isAccepted = false;
    expect(await registry.findUnaccepted(KEY, 0n)).toBe(ACCOUNT);
    expect(await registry.find(KEY, 0n)).toMatchObject({ account: ACCOUNT, isAccepted: false });
  });

  test('returns the account that waits for a wallet, whose identity names nothing, until it is accepted', async () => {
    const { state, registry } = createRegistry();
    Object.assign(state, { hashState: hashState.waiting, isAccepted: false });
    expect(await registry.find(KEY, 0n)).toBeUndefined();
    expect(await registry.findUnaccepted(KEY, 0n)).toBe(ACCOUNT);
    expect(state.reads).toBe(1);
    expect(registry.isKnown(KEY)).toBe(false);
    Object.assign(state, { hashState: hashState.account, isAccepted: true });
    registry.drop(ACCOUNT);
    expect(await registry.findUnaccepted(KEY, 0n)).toBeUndefined();
    expect(await registry.find(KEY, 0n)).toMatchObject({ account: ACCOUNT, isUsageKey: false });
  });

  test.each([4, 5, 6])(
    'a hash in state %d, which has an account and names nothing, is unknown',
    async (ended) => {
      const { state, registry } = createRegistry();
      state.hashState = ended;
      expect(await registry.find(KEY, 0n)).toBeUndefined();
      expect(await registry.findUnaccepted(KEY, 0n)).toBeUndefined();
    },
  );
});
