import {
  advance,
  checkShare,
  type DealingResult,
  type DealingState,
  dealingResult,
  type Fault,
  FaultError,
  generationSetup,
  outgoing,
  type Party,
  type Round,
  receive,
  type Share,
} from '@latchkey/threshold';
import { concatBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newSession, range, rootOf, run, start, type Tamper } from '../test/dealings.ts';
import {
  at,
  both,
  dealerFault,
  expectExcluded,
  flip,
  generation,
  group,
  honest,
  lie,
  resharing,
  setups,
  withBody,
  wrong,
  wrongSubshare,
  zeros,
} from '../test/lies.ts';
import { encodeMessage } from './messages.ts';

const receiverFault = (round: Round, reason: string): Partial<Fault> => ({
  role: 'receiver',
  identifier: 2,
  round,
  reason,
});

describe('a receiver is named, and everyone gets a share, when it', () => {
  test.each<[string, Tamper, Partial<Fault>]>([
    [
      'complains falsely',
      lie('complaints', (message) => [withBody(message, Uint8Array.of(1, 3))]),
      receiverFault('complaints', 'complains about dealer 3, which has shown the right subshare'),
    ],
    ['sends no complaints', lie('complaints', () => []), receiverFault('complaints', 'no message')],
    [
      'complains about a node that does not deal',
      lie('complaints', (message) => [withBody(message, Uint8Array.of(1, 9))]),
      receiverFault('complaints', 'malformed message'),
    ],
    [
      'complains twice about a dealer',
      lie('complaints', (message) => [withBody(message, Uint8Array.of(2, 1, 1))]),
      receiverFault('complaints', 'malformed message'),
    ],
    [
      'sends two different complaints',
      lie('complaints', (message) => [message, withBody(message, Uint8Array.of(1, 3))]),
      receiverFault('complaints', 'two different messages'),
    ],
  ])('%s', (_, tamper, fault) => {
    for (const state of honest(generation, tamper)) {
      const { faults, qualified, parameters, share } = dealingResult(state);
      expect(faults).toMatchObject([fault]);
      expect(qualified).toEqual(range(3));
      checkShare(parameters, share as Share);
    }
  });
});

test('a dealer that lies to one receiver only in private is named by that receiver, which gets its share', () => {
  const lies = lie('subshares', (message) => [wrongSubshare(message)], [3]);
  const [one, three] = honest(resharing, lies).map(dealingResult) as [DealingResult, DealingResult];
  expect(three.observations).toMatchObject([dealerFault('subshares', 'wrong subshare')]);
  expect(one.observations).toEqual([]);
  expect(one.faults).toMatchObject([{ role: 'receiver', identifier: 3, round: 'complaints' }]);
  expect(three.faults).toEqual(one.faults);
  checkShare(three.parameters, three.share as Share);
  expect(rootOf([one.share as Share, three.share as Share])).toBe(5n);
});

test('a dealer that answers without a complaint is excluded', () => {
  const subshares = concatBytes(Uint8Array.of(1, 3), wrong);
  const header = { round: 'answers' as const, sender: 2, receiver: 0 };
  const unsolicited = encodeMessage(generation, header, subshares);
  const states = honest(
    generation,
    lie('complaints', (message) => [message, unsolicited]),
  );
  expectExcluded(states, dealerFault('answers', 'answers other complaints than were made'));
});

describe('no result is given', () => {
  const faultsOf = (state: DealingState | undefined): Fault[] => {
    try {
      dealingResult(state as DealingState);
    } catch (error) {
      if (error instanceof FaultError) return error.faults;
    }
    throw new Error('expected a FaultError');
  };

  test.each<[string, Tamper, string]>([
    [
      'confirms another transcript',
      lie('confirmation', (message) => [flip(message, -1)]),
      'another transcript',
    ],
    ['does not confirm', lie('confirmation', () => []), 'no message'],
    [
      'confirms with a malformed hash',
      lie('confirmation', (message) => [message.slice(0, -1)]),
      'malformed message',
    ],
  ])('when a receiver %s', (_, tamper, reason) => {
    for (const state of honest(generation, tamper)) {
      expect(faultsOf(state)).toEqual([receiverFault('confirmation', reason)]);
    }
  });

  test('when a dealer sends different commit hashes to different nodes', () => {
    const [one] = honest(
      generation,
      lie('commit hash', (message) => [flip(message, -1)], [3]),
    );
    expect(faultsOf(one)).toMatchObject([
      { identifier: 3, round: 'confirmation', reason: 'another transcript' },
    ]);
  });

  test('when a node sends different messages that are malformed alike', () => {
    const complain = (dealer: number, to: number) =>
      lie('complaints', (message) => [withBody(message, Uint8Array.of(1, dealer))], [to]);
    const [one, three] = honest(generation, both(complain(8, 1), complain(9, 3)));
    expect(one?.outcome?.parameters).toEqual(three?.outcome?.parameters);
    expect(faultsOf(one)[0]).toEqual(receiverFault('complaints', 'malformed message'));
    expect(faultsOf(one)).toContainEqual({
      ...receiverFault('confirmation', 'another transcript'),
      identifier: 3,
    });
  });

  test('when fewer than t dealers are qualified', () => {
    const setup = generationSetup(newSession(), { threshold: 2, nodes: [1, 2] });
    const [one] = run(
      start(setup),
      lie('commitments', () => []),
    );
    expect(faultsOf(one)).toEqual([dealerFault('commitments', 'no message')]);
    expect(() => dealingResult(one as DealingState)).toThrow('dealer 2, commitments: no message');
  });
});

describe('a message is refused and its sender named', () => {
  const [one, two] = start(generation) as [DealingState, DealingState];
  const sender = { dealer: 2, receiver: 2 };
  const [commit] = outgoing(two).map(({ message }) => message) as [Uint8Array];
  const reasonOf = (state: DealingState, from: Party, message: Uint8Array): string => {
    try {
      receive(state, from, message);
    } catch (error) {
      if (error instanceof FaultError) return error.message;
      throw error;
    }
    return 'accepted';
  };

  test.each<[string, Uint8Array, string]>([
    ['nothing', zeros(0), 'header: too short'],
    ['of another version', flip(commit, 0), 'header: of another dealing'],
    ['of another session', flip(commit, 5), 'header: of another dealing'],
    ['of another epoch', flip(commit, 36), 'header: of another dealing'],
    ['of an unknown round', at(commit, 37, Uint8Array.of(6)), 'header: of an unknown round'],
    ['of another sender', at(commit, 38, Uint8Array.of(3)), 'commit hash: sent as 3'],
    ['of an unknown sender', at(commit, 38, Uint8Array.of(9)), 'commit hash: sent as 9'],
    ['to another receiver', at(commit, 37, Uint8Array.of(2, 2, 3)), 'subshares: sent to receiver 3'],
    ['to all', at(commit, 37, Uint8Array.of(2, 2, 0)), 'subshares: sent to receiver 0'],
    ['to one instead of all', at(commit, 39, Uint8Array.of(1)), 'commit hash: sent to receiver 1'],
    ['of more than 1,024 bytes', concatBytes(commit, zeros(1024)), 'header: too long'],
  ])('%s', (_, message, reason) => {
    expect(reasonOf(one, sender, message)).toContain(`dealer 2, ${reason}`);
  });

  test('when its sender is another party', () => {
    expect(reasonOf(one, { dealer: 3, receiver: 3 }, commit)).toBe('dealer 3, commit hash: sent as 2');
    expect(reasonOf(one, { receiver: 2 }, commit)).toBe('receiver 2, commit hash: sent as 2');
  });

  test('after the end of its round, unless it is a repetition', () => {
    const known = advance(receive(one, sender, commit));
    expect(receive(known, sender, commit)).toBe(known);
    expect(reasonOf(known, sender, flip(commit, -1))).toBe('dealer 2, commit hash: two different messages');
    expect(reasonOf(advance(one), sender, commit)).toBe('dealer 2, commit hash: after the end of the round');
  });

  test('for any other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (message) => {
        expect(reasonOf(one, sender, message)).toContain('dealer 2, header');
      }),
    );
  });
});

test('any changed byte in any message of a node names it', () => {
  const rounds = ['commit hash', 'commitments', 'subshares', 'complaints', 'confirmation'] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...rounds),
      fc.nat(),
      fc.constantFrom(...setups),
      (round, position, setup) => {
        const named: unknown[] = [];
        const tamper = lie(round, (message) => [flip(message, position % message.length)]);
        const states = run(start(setup, group.shares), tamper, (error) => named.push(error));
        const faults = [
          ...named.flatMap((error) => (error instanceof FaultError ? error.faults : [])),
          ...(states[0]?.faults ?? []),
        ];
        expect(faults).toContainEqual(expect.objectContaining({ identifier: 2 }));
        expect(faults.filter(({ role, identifier }) => role === 'dealer' && identifier !== 2)).toEqual([]);
      },
    ),
    { numRuns: 10 },
  );
});
