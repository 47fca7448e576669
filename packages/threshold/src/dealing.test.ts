import {
  advance,
  checkGroupParameters,
  checkShare,
  type DealingSetup,
  type DealingState,
  dealingResult,
  encodeGroupParameters,
  generationSetup,
  missing,
  outgoing,
  refreshSetup,
  resharingSetup,
  type Share,
  startDealing,
} from '@latchkey/threshold';
import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Group,
  generate,
  groupOf,
  newSession,
  partiesOf,
  range,
  rootOf,
  run,
  runInOrder,
  split,
  start,
} from '../test/dealings.ts';
import { basePoint } from './group.ts';

/** Checks the group and returns its root. */
function check({ parameters, shares }: Group): bigint {
  checkGroupParameters(parameters);
  expect(shares.map(({ identifier }) => identifier)).toEqual(
    parameters.nodes.map(({ identifier }) => identifier),
  );
  for (const share of shares) checkShare(parameters, share);
  const root = rootOf(shares.slice(-parameters.threshold));
  expect(bytesToHex(basePoint(root).toBytes())).toBe(parameters.groupPublicKey);
  return root;
}

const reshare = (group: Group, dealers: number[], receivers: number[], threshold: number): Group => {
  const setup = resharingSetup(newSession(), group.parameters, { dealers, receivers, threshold });
  return groupOf(run(start(setup, group.shares)));
};
const refresh = (group: Group): Group =>
  groupOf(run(start(refreshSetup(newSession(), group.parameters), group.shares)));

describe('a generation', () => {
  test.each([
    [1, 1],
    [1, 3],
    [2, 2],
    [2, 3],
    [4, 4],
    [3, 5],
  ])('of threshold %i gives %i nodes shares of one key', (threshold, n) => {
    const group = generate(threshold, n);
    check(group);
    expect(group.parameters).toMatchObject({ version: 1, epoch: 1, threshold });
    expect(group.parameters.nodes).toHaveLength(n);
  });

  test('gives another key each time', () => {
    expect(generate(1, 1).parameters.groupPublicKey).not.toBe(generate(1, 1).parameters.groupPublicKey);
  });

  test('works with any identifiers', () => {
    const setup = generationSetup(newSession(), { threshold: 2, nodes: [7, 200, 255], epoch: 9 });
    const group = groupOf(run(start(setup)));
    check(group);
    expect(group.parameters.epoch).toBe(9);
  });

  test('has the random scalars of the given generator', () => {
    const setup = generationSetup('11'.repeat(32), { threshold: 2, nodes: [1, 2] });
    const rng = (bytes = 0) => new Uint8Array(bytes).fill(7);
    const secrets = [1, 2].map(() => {
      const state = startDealing(setup, { dealer: 1, receiver: 1 }, { rng });
      return state.sent.filter(({ round }) => round === 'subshares');
    });
    expect(secrets[0]).toEqual(secrets[1]);
  });
});

describe('the key', () => {
  test('stays over refresh, resharing and replacement, and old shares become useless', () => {
    const group = generate(2, 3);
    const root = check(group);
    const refreshed = refresh(group);
    const larger = reshare(refreshed, [1, 2, 3], range(5), 3);
    const replaced = reshare(larger, [1, 2, 4], [1, 2, 4, 5, 6], 3);
    const smaller = reshare(replaced, [2, 4, 5, 6], [1, 2], 1);
    const groups = [refreshed, larger, replaced, smaller, reshare(smaller, [2], [3, 4], 2)];
    let previous = group;
    for (const next of groups) {
      expect(check(next)).toBe(root);
      expect(next.parameters.epoch).toBe(previous.parameters.epoch + 1);
      expect(next.parameters.groupPublicKey).toBe(group.parameters.groupPublicKey);
      previous = next;
    }
    // One old share and one new share of different nodes.
    expect(rootOf([group.shares[0] as Share, refreshed.shares[1] as Share])).not.toBe(root);
    expect(rootOf([...refreshed.shares.slice(0, 1), ...larger.shares.slice(1, 3)])).not.toBe(root);
    for (const [i, share] of refreshed.shares.entries())
      expect(share.secret).not.toEqual(group.shares[i]?.secret);
  });

  test('moves to machines with other identifiers, and a dealer that leaves has no share', () => {
    const group = generate(2, 3);
    const setup = resharingSetup(newSession(), group.parameters, {
      dealers: [1, 3],
      receivers: [1, 2],
      threshold: 2,
    });
    const states = start(setup, group.shares, [{ dealer: 1 }, { dealer: 3, receiver: 1 }, { receiver: 2 }]);
    const done = run(states);
    expect(check(groupOf(done))).toBe(rootOf(group.shares.slice(1)));
    expect(done.map((state) => dealingResult(state).share?.identifier)).toEqual([undefined, 1, 2]);
  });

  test('moves to a group of 16 nodes and back', () => {
    const large = reshare(split(3n, 2, range(3)), [1, 3], range(16), 5);
    expect(check(large)).toBe(3n);
    const small = resharingSetup(newSession(), large.parameters, {
      dealers: range(5),
      receivers: [1],
      threshold: 1,
    });
    expect(check(groupOf(run(start(small, large.shares))))).toBe(3n);
  });
});

describe('a dealing', () => {
  const group = split(5n, 2, range(3));
  const setups: [DealingSetup, Share[]][] = [
    [generationSetup(newSession(), { threshold: 2, nodes: range(3) }), []],
    [refreshSetup(newSession(), group.parameters), group.shares],
    [
      resharingSetup(newSession(), group.parameters, { dealers: [1, 3], receivers: [1, 2, 4], threshold: 2 }),
      group.shares,
    ],
  ];

  test.each(setups)('gives the same result for any order of messages: $kind', (setup, shares) => {
    const states = start(setup, shares);
    const expected = run(states).map(dealingResult);
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (choices) => {
        const done = runInOrder(states, (options) => choices.next().value % options);
        expect(done.map(dealingResult)).toEqual(expected);
      }),
      { numRuns: 2 },
    );
  });

  test.each(setups)('continues from its stored state after every step: $kind', (setup, shares) => {
    const states = start(setup, shares);
    const expected = run(states).map(dealingResult);
    const restore = (state: DealingState): DealingState => JSON.parse(JSON.stringify(state));
    const restart = (state: DealingState) => {
      const restored = restore(state);
      expect(outgoing(restored)).toEqual(outgoing(state));
      return restored;
    };
    const done = runInOrder(states.map(restart), () => 0, restart);
    expect(done.map(dealingResult)).toEqual(expected);
  });

  test('can be repeated from any stored state with the same messages', () => {
    const [setup] = setups[0] as [DealingSetup, Share[]];
    const [first] = start(setup) as [DealingState];
    const next = advance(first);
    expect(outgoing(advance(first))).toEqual(outgoing(next));
    expect(outgoing(JSON.parse(JSON.stringify(first)))).toEqual(outgoing(first));
  });

  test('tells whose messages are missing', () => {
    const [setup, shares] = setups[2] as [DealingSetup, Share[]];
    const states = start(setup, shares);
    expect(states.map(missing)).toEqual([[3], [1], [1, 3], [1, 3]]);
    expect(partiesOf(setup).map(({ dealer, receiver }) => [dealer, receiver])).toEqual([
      [1, 1],
      [3, undefined],
      [undefined, 2],
      [undefined, 4],
    ]);
  });

  test('keeps no subshare and no share of the previous group when it is done', () => {
    for (const [setup, shares] of setups) {
      for (const state of run(start(setup, shares))) {
        expect(state.received.subshares).toEqual({});
        expect(state.previousShare).toBeNull();
        expect(state.sent.filter(({ round }) => round === 'subshares')).toEqual([]);
        expect(() => advance(state)).toThrow('done');
        expect(missing(state)).toEqual([]);
      }
    }
  });

  test('starts only with its own party and share', () => {
    const [generation, refreshing, resharing] = setups.map(([setup]) => setup) as [
      DealingSetup,
      DealingSetup,
      DealingSetup,
    ];
    const [share, other] = group.shares as [Share, Share];
    const both = { dealer: 1, receiver: 1 };
    expect(() => startDealing(generation, {})).toThrow('neither');
    expect(() => startDealing(generation, { dealer: 1 })).toThrow('each node is both');
    expect(() => startDealing(generation, { dealer: 4, receiver: 4 })).toThrow('not a dealer');
    expect(() => startDealing(resharing, { receiver: 3 })).toThrow('not a receiver');
    expect(() => startDealing(refreshing, both)).toThrow('share of node 1');
    expect(() => startDealing(resharing, both, { share: other })).toThrow('share of node 1');
    expect(() => startDealing(resharing, both, { share: { ...share, epoch: 2 } })).toThrow('epoch 2');
    expect(() => startDealing(resharing, both, { share: { ...share, secret: other.secret } })).toThrow(
      'match',
    );
    expect(() => dealingResult(startDealing(resharing, both, { share }))).toThrow('commit hash is open');
  });

  test('confirms one transcript, which names the epoch and every public value', () => {
    const [setup, shares] = setups[1] as [DealingSetup, Share[]];
    const done = run(start(setup, shares)).map(dealingResult);
    expect(new Set(done.map(({ transcriptHash }) => transcriptHash)).size).toBe(1);
    expect(encodeGroupParameters((done[0] as (typeof done)[0]).parameters)).toContain('epoch=2;threshold=2');
    expect(done.map(({ qualified, faults, observations }) => [qualified, faults, observations])).toEqual(
      done.map(() => [[1, 2, 3], [], []]),
    );
  });
});
