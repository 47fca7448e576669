import {
  type DealingState,
  decodeGroupParameters,
  decodeJointSetup,
  encodeGroupParameters,
  encodeJointSetup,
  FaultError,
  type JointSetup,
  type JointState,
  jointAdvance,
  jointFaults,
  jointGeneration,
  jointOutcome,
  jointOutgoing,
  jointReceive,
  jointRefresh,
  jointResharing,
  jointResult,
  jointRound,
  type Party,
  rejectJointSubshare,
  type Share,
  startJoint,
  suites,
} from '@latchkey/threshold';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { newSession, partiesOf, range, rootOf, splitAll } from '../test/dealings.ts';
import { groups } from './group.ts';

type Shares = Map<number, Share[]>;
const partyOf = (states: JointState): Party => states[0].party;

/** Runs the dealing of all parties. `tamper` returns what arrives instead of a message of dealer 2. */
function run(
  setups: JointSetup,
  shares: Shares = new Map(),
  tamper: (message: Uint8Array, suite: number, round: string) => Uint8Array = (message) => message,
): JointState[] {
  let all = partiesOf(setups[0]).map((party) => startJoint(setups, party, shares.get(party.dealer ?? 0)));
  while (all.some((states) => jointRound(states) !== 'done')) {
    const sent = all.flatMap((states) =>
      jointOutgoing(states).map(({ receiver, message }) => {
        const { dealer } = partyOf(states);
        const suite = setups.findIndex(
          (_, i) => bytesToHex(message.subarray(1, 33)) === setupIdOf(states[i] as DealingState),
        );
        const changed = dealer === 2 ? tamper(message, suite, jointRound(states)) : message;
        return { from: partyOf(states), receiver, message: changed };
      }),
    );
    all = all.map((states) => {
      let next = partyOf(states).dealer === 2 ? withoutOwn(states) : states;
      for (const { from, receiver, message } of sent)
        if (receiver === 0 || receiver === partyOf(states).receiver) next = jointReceive(next, from, message);
      return jointRound(next) === 'done' ? next : jointAdvance(next);
    });
  }
  return all;
}

/** A liar believes what it sent to all, so that it can confirm the transcript. */
const withoutOwn = (states: JointState): JointState =>
  states.map((state) => {
    const { round } = state;
    if (round === 'done' || round === 'subshares') return state;
    const { 2: _, ...others } = state.received[round];
    return { ...state, received: { ...state.received, [round]: others } };
  }) as JointState;

/** The setup hash is in every own message. */
const setupIdOf = ({ sent }: DealingState): string => (sent[0]?.message ?? '').slice(2, 66);

/** Checks the results and returns the roots of the suites, with the shares for the next dealing. */
function rootsOf(all: JointState[]) {
  const results = all.map(jointResult);
  const [first] = results;
  if (!first) throw new Error('no result');
  expect(
    new Set(results.map(({ published, transcriptHash }) => JSON.stringify([published, transcriptHash]))).size,
  ).toBe(1);
  const receivers = results.filter(({ shares }) => shares.length > 0);
  const used = receivers.slice(0, first.published.threshold);
  const parameters = [first.published, ...first.signing] as Parameters<typeof jointRefresh>[1];
  const roots = suites.map((suite, i) => {
    const root = rootOf(
      used.map(({ shares }) => shares[i] as Share),
      suite,
    );
    expect(bytesToHex(groups[suite].basePoint(root).toBytes())).toBe(parameters[i]?.groupPublicKey);
    return root;
  });
  const shares: Shares = new Map(
    receivers.map((result) => [result.shares[0]?.identifier ?? 0, result.shares]),
  );
  return { roots, parameters, shares };
}

test('a generation, a refresh and a resharing keep three keys', () => {
  const first = rootsOf(run(jointGeneration(newSession(), { threshold: 2, nodes: range(3) })));
  expect(new Set(first.roots).size).toBe(3);
  const second = rootsOf(run(jointRefresh(newSession(), first.parameters), first.shares));
  expect(second.roots).toEqual(first.roots);
  expect(second.parameters[1]).not.toEqual(first.parameters[1]);
  const options = { dealers: [1, 3], receivers: [3, 4, 5, 6, 7], threshold: 3 };
  const third = rootsOf(run(jointResharing(newSession(), second.parameters, options), second.shares));
  expect(third.roots).toEqual(first.roots);
  expect(third.parameters[0]).toMatchObject({
    epoch: 3,
    threshold: 3,
    signing: { ed25519: first.parameters[1]?.groupPublicKey },
  });
});

test('publishes one text that the contract takes, also of 16 nodes', () => {
  const [evaluation] = splitAll(
    5n,
    16,
    range(16).map((i) => 239 + i),
    2 ** 32 - 1,
  );
  const text = encodeGroupParameters(evaluation.parameters);
  expect(text.length).toBe(1021);
  expect(decodeGroupParameters(text)).toEqual(evaluation.parameters);
});

describe('a dealer that lies about one key', () => {
  const generation = jointGeneration(newSession(), { threshold: 2, nodes: range(3) });

  test.each(suites)('%s: is named, and all keys are dealt', (suite) => {
    const lie = (message: Uint8Array, at: number, round: string) =>
      round === 'commitments' && suites[at] === suite
        ? message.map((byte, i) => (i === 60 ? byte ^ 1 : byte))
        : message;
    const honest = run(generation, new Map(), lie).filter((states) => partyOf(states).dealer !== 2);
    for (const states of honest) {
      expect(jointFaults(states, 'faults')).toMatchObject([{ identifier: 2, round: 'commitments' }]);
      expect(jointResult(states).shares).toHaveLength(3);
    }
  });

  test('fails the dealing of all keys when too few dealers are left for it', () => {
    const two = jointGeneration(newSession(), { threshold: 2, nodes: range(2) });
    const lie = (message: Uint8Array, at: number, round: string) =>
      round === 'commitments' && at === 2 ? message.map((byte, i) => (i === 60 ? byte ^ 1 : byte)) : message;
    const honest = run(two, new Map(), lie).filter((states) => partyOf(states).dealer !== 2);
    for (const states of honest) {
      expect(() => jointResult(states)).toThrow(FaultError);
      expect(jointOutcome(states)).toBeNull();
      expect(jointOutgoing(states)).toEqual([]);
    }
  });

  test('gets complaints about all keys for a subshare that does not open', () => {
    const states = startJoint(generation, { dealer: 1, receiver: 1 });
    const rejected = rejectJointSubshare(states, 2);
    expect(rejected.map(({ received }) => Object.keys(received.subshares))).toEqual(
      suites.map(() => ['1', '2']),
    );
  });
});

describe('setups', () => {
  const groupsOf = (epoch = 1) =>
    splitAll(5n, 2, range(3), epoch).map(({ parameters }) => parameters) as Parameters<
      typeof jointRefresh
    >[1];

  test('are the same after encoding', () => {
    for (const setups of [
      jointGeneration(newSession(), { threshold: 2, nodes: range(3) }),
      jointRefresh(newSession(), groupsOf()),
    ])
      expect(decodeJointSetup(encodeJointSetup(setups))).toEqual(setups);
  });

  test('are refused with the parameters of other keys than the published ones', () => {
    const [published, ...signing] = groupsOf();
    const [, ...others] = splitAll(6n, 2, range(3)).map(({ parameters }) => parameters);
    const [, ...later] = groupsOf(2);
    for (const wrong of [others, later, [signing[1], signing[0]], [signing[0], others[1]]])
      expect(() => jointRefresh(newSession(), [published, ...(wrong as typeof signing)])).toThrow();
  });

  test('are refused when they are not of one dealing', () => {
    const one = jointGeneration('11'.repeat(32), { threshold: 2, nodes: range(3) });
    const other = jointGeneration('22'.repeat(32), { threshold: 2, nodes: range(3) });
    const larger = jointGeneration('11'.repeat(32), { threshold: 3, nodes: range(3) });
    for (const wrong of [
      [one[0], one[1], other[2]],
      [one[0], larger[1], one[2]],
      [one[0], one[2], one[1]],
      [one[0], one[1], one[1]],
    ])
      expect(() => decodeJointSetup(encodeJointSetup(wrong as JointSetup))).toThrow(RangeError);
    expect(() => decodeJointSetup(encodeJointSetup(one).subarray(1))).toThrow(RangeError);
    expect(() => decodeJointSetup(new Uint8Array([...encodeJointSetup(one), 0]))).toThrow('too long');
  });
});
