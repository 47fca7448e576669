import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createActivity, createTurns, TurnRefusedError } from './turns.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

const limits = { inProgress: 1, few: 2, manyPerSecond: 10, waiting: 100, waitingPerAccount: 100 };
const MANY_MS = 100;
const flush = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Takes turns by name, for example `a1`, whose account is `a`. `begun` has them in the order of their beginning. */
function open(changes: Partial<typeof limits> = {}) {
  const take = createTurns<string>({ ...limits, ...changes }, createActivity());
  const begun: string[] = [];
  const turns = new Map<string, Disposable>();
  const refused: string[] = [];
  const ask = (...names: string[]) => {
    for (const name of names)
      take(name.slice(0, 1)).then(
        (turn) => {
          begun.push(name);
          turns.set(name, turn);
        },
        (error: unknown) => {
          expect(error).toBeInstanceOf(TurnRefusedError);
          refused.push(name);
        },
      );
    return flush();
  };
  const end = (name: string) => {
    turns.get(name)?.[Symbol.dispose]();
    return flush();
  };
  /** Ends one turn after another, each when the next one of an account with many may begin, and returns their order. */
  const finish = async () => {
    for (let at = 0; at < begun.length; at++) {
      vi.advanceTimersByTime(MANY_MS);
      await end(begun[at] as string);
    }
    return begun;
  };
  return { ask, end, finish, begun, refused, take };
}

const many = (account: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${account}${index + 1}`);

test('an account that waits for longer than accounts are active still has its turn', async () => {
  const { ask, end, begun } = open();
  await ask(...many('a', 5), 'f1');
  vi.advanceTimersByTime(6_000);
  await ask('a6');
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'f1']);
});

describe('a turn begins immediately', () => {
  test('while fewer than the maximum are in progress and no other account is active', async () => {
    const { ask, begun } = open({ inProgress: 5 });
    await ask(...many('a', 7));
    expect(begun).toEqual(many('a', 5));
  });

  test('for an account with few, while others that have many are slowed', async () => {
    const { ask, begun } = open({ inProgress: 20 });
    await ask('b1', ...many('a', 7), 'c1', 'b2');
    expect(begun).toEqual(['b1', 'a1', 'a2', 'a3', 'c1', 'b2']);
  });

  test('for an account beside another that has its half of the maximum, however few turns that one has', async () => {
    const { ask, begun, end } = open({ inProgress: 4, few: 8 });
    await ask('b1', ...many('a', 5));
    expect(begun).toEqual(['b1', 'a1', 'a2']);
    await ask('c1');
    await end('a1');
    expect(begun.slice(3)).toEqual(['c1', 'a3']);
  });

  test('once after the end of another, however often that one is disposed', async () => {
    const { ask, end, begun } = open();
    await ask('a1', 'a2', 'a3', 'a4');
    await end('a1');
    await end('a1');
    expect(begun).toEqual(['a1', 'a2']);
  });
});

describe('an account with many turns', () => {
  test('begins one per interval, however many places are free, while another account is active', async () => {
    const { ask, begun } = open({ inProgress: 20 });
    await ask('b1', ...many('a', 7));
    expect(begun).toEqual(['b1', 'a1', 'a2', 'a3']);
    vi.advanceTimersByTime(MANY_MS - 1);
    await flush();
    expect(begun.slice(4)).toEqual([]);
    vi.advanceTimersByTime(1);
    await flush();
    expect(begun.slice(4)).toEqual(['a4']);
  });

  test('shares the interval with the other accounts that have many', async () => {
    const { ask, begun } = open({ inProgress: 20 });
    await ask('x1', ...many('a', 7), ...many('b', 7), ...many('c', 7));
    const first = begun.length;
    for (let turn = 0; turn < 4; turn++) {
      vi.advanceTimersByTime(MANY_MS);
      await flush();
    }
    expect(begun.slice(first).map((name) => name.slice(0, 1))).toEqual(['a', 'b', 'c', 'a']);
  });

  test('is not slowed five seconds after the last request of another account', async () => {
    const { ask, begun, end } = open({ inProgress: 5 });
    await ask('b1');
    await end('b1');
    vi.advanceTimersByTime(4_999);
    await ask(...many('a', 4));
    expect(begun.slice(1)).toEqual(['a1', 'a2', 'a3']);
    vi.advanceTimersByTime(1);
    await ask('a5');
    expect(begun.slice(4)).toEqual(['a4', 'a5']);
  });
});

describe('waiting turns', () => {
  test('of an account keep their order', async () => {
    const { ask, finish } = open();
    await ask(...many('a', 6));
    expect(await finish()).toEqual(many('a', 6));
  });

  test('of a neighbour come before the turns of an account that floods, except one per interval', async () => {
    const { ask, end, begun } = open();
    await ask(...many('a', 50), 'b1', 'b2');
    for (const name of ['a1', 'a2', 'b1']) await end(name);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  test('of a neighbour come before the turns of 30 accounts that flood, except one per interval', async () => {
    const { ask, end, begun } = open({ waiting: 1_000 });
    const flooders = [...'abcdefghijklmnopqrstuvwxyzABCD'];
    await ask(...flooders.flatMap((account) => many(account, 5)), '*1');
    for (const name of ['a1', 'a2']) await end(name);
    expect(begun).toEqual(['a1', 'a2', '*1']);
  });

  test('of accounts that flood are in turn', async () => {
    const { ask, finish } = open();
    await ask(...many('a', 9), ...many('b', 9), ...many('c', 9));
    expect((await finish()).slice(1, 8)).toEqual(['a2', 'b1', 'c1', 'a3', 'b2', 'c2', 'a4']);
  });

  test('of an account with many have their time beside accounts with few that never stop', async () => {
    const { ask, end, begun } = open();
    await ask('b1', ...many('a', 5), 'c1', 'd1');
    await end('b1');
    vi.advanceTimersByTime(MANY_MS);
    await end(begun.at(-1) as string);
    vi.advanceTimersByTime(MANY_MS);
    await end(begun.at(-1) as string);
    expect(begun.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  });

  test('leave when their signal is aborted', async () => {
    const { ask, take, finish } = open();
    await ask('a1');
    const request = new AbortController();
    const left = take('b', request);
    const alsoLeft = take('c', { signal: AbortSignal.abort(new Error('gone')) });
    await expect(alsoLeft).rejects.toThrow('gone');
    await ask('d1');
    request.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await finish()).toEqual(['a1', 'd1']);
  });
});

describe('a turn is refused', () => {
  test('when the account has its maximum of waiting turns, and no other account', async () => {
    const { ask, refused, finish } = open({ waitingPerAccount: 2 });
    await ask(...many('a', 5), 'b1');
    expect(refused).toEqual(['a4', 'a5']);
    expect(await finish()).toContain('b1');
  });

  test('to the account with the most waiting ones when all have their maximum', async () => {
    const { ask, refused, finish } = open({ waiting: 5 });
    await ask(...many('a', 4), ...many('b', 2));
    await ask('c1');
    expect(refused).toEqual(['a4']);
    await ask('a5');
    expect(refused).toEqual(['a4', 'a5']);
    expect(await finish()).toEqual(expect.arrayContaining(['a3', 'b1', 'b2', 'c1']));
  });
});

test('nothing is left of accounts whose turns ended or were refused', async () => {
  const { ask, finish, begun, refused } = open({ waitingPerAccount: 1, waiting: 2 });
  for (let round = 0; round < 20; round++) {
    await ask(...many('a', 3), ...many('b', 3));
    await finish();
    expect(begun.length + refused.length).toBe(6 * (round + 1));
  }
  await ask('a9');
  expect(begun.at(-1)).toBe('a9');
});
