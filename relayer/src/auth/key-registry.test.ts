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

test('a hash that names nothing is asked for every time', async () => {
  const { state, registry } = world();
  state.isRemoved = true;
  expect(await registry.find(KEY, 0n)).toBeUndefined();
  state.isRemoved = false;
  expect(await registry.find(KEY, 0n)).toBeDefined();
});
