import { describe, expect, test } from 'vitest';
import { createKeyRegistry } from './key-registry.ts';

const KEY = 5n;
const ACCOUNT = 7n;

/** A chain whose only key is KEY of ACCOUNT, until it is removed. */
function world() {
  const state = { head: 10n, isRemoved: false, written: 0n, reads: 0, beforeAnswer: async () => {} };
  const registry = createKeyRegistry(
    {
      head: () => state.head,
      refreshHead: async () => state.head,
      reach: async (block) => {
        if (block > state.head) state.head = block;
      },
    },
    {
      read: (async () => {
        state.reads++;
        const answer = state.isRemoved ? [0n, '0x', false, false, 0n] : [ACCOUNT, '0x', true, true, 0n];
        await state.beforeAnswer();
        return answer;
      }) as never,
    },
    { get: async () => state.written },
  );
  return { state, registry };
}

test('one look at the chain serves many requests', async () => {
  const { state, registry } = world();
  for (let i = 0; i < 5; i++)
    expect(await registry.find(KEY, 0n)).toMatchObject({ account: ACCOUNT, minBlock: 0n });
  expect(state.reads).toBe(1);
});

describe('a removed key is refused', () => {
  test('after its account was dropped', async () => {
    const { state, registry } = world();
    await registry.find(KEY, 0n);
    state.isRemoved = true;
    registry.drop(8n);
    expect(await registry.find(KEY, 0n)).toBeDefined();
    registry.drop(ACCOUNT);
    expect(await registry.find(KEY, 0n)).toBeUndefined();
  });

  test('after another process wrote the account, which no log told yet', async () => {
    const { state, registry } = world();
    await registry.find(KEY, 0n);
    Object.assign(state, { isRemoved: true, written: 12n });
    expect(await registry.find(KEY, 0n)).toBeUndefined();
  });

  test('by who asks for a later block', async () => {
    const { state, registry } = world();
    await registry.find(KEY, 0n);
    state.isRemoved = true;
    expect(await registry.find(KEY, 11n)).toBeUndefined();
  });

  test('when it was dropped while the chain was asked: an old answer is not kept', async () => {
    const { state, registry } = world();
    state.beforeAnswer = async () => {
      state.isRemoved = true;
      registry.drop(ACCOUNT);
    };
    expect(await registry.find(KEY, 0n)).toBeDefined();
    expect(await registry.find(KEY, 0n)).toBeUndefined();
  });
});

test('reads see the last write and X-Min-Block, whichever is later', async () => {
  const { state, registry } = world();
  state.written = 12n;
  expect(await registry.find(KEY, 0n)).toMatchObject({ minBlock: 12n });
  expect(await registry.find(KEY, 15n)).toMatchObject({ minBlock: 15n });
});

describe('a hash that names nothing', () => {
  test('is asked for once by requests that come together, and by those of the next moment', async () => {
    const { state, registry } = world();
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
      (state: ReturnType<typeof world>['state']) => {
        state.head++;
      },
    ],
    [
      'something was dropped',
      (_state: unknown, registry: ReturnType<typeof world>['registry']) => registry.drop(8n),
    ],
  ])('is asked for again when %s', async (_what, happen) => {
    const { state, registry } = world();
    state.isRemoved = true;
    expect(await registry.find(KEY, 0n)).toBeUndefined();
    state.isRemoved = false;
    happen(state, registry);
    expect(await registry.find(KEY, 0n)).toBeDefined();
    expect(registry.isKnown(KEY)).toBe(true);
  });

  test('is asked for again by who asks for a later block', async () => {
    const { state, registry } = world();
    state.isRemoved = true;
    expect(await registry.find(KEY, 0n)).toBeUndefined();
    state.isRemoved = false;
    expect(await registry.find(KEY, 11n)).toBeDefined();
  });

  test('is not taken from a question that began before the block which made the key', async () => {
    const { state, registry } = world();
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

test('a key is known until it is found to be removed', async () => {
  const { state, registry } = world();
  await registry.find(KEY, 0n);
  registry.drop(ACCOUNT);
  expect(registry.isKnown(KEY)).toBe(true);
  state.isRemoved = true;
  expect(await registry.find(KEY, 0n)).toBeUndefined();
  expect(registry.isKnown(KEY)).toBe(false);
});
