import type { DealingSetup, DealingState, Fault } from '@latchkey/threshold';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { range, run, start, type Tamper } from '../test/dealings.ts';
import {
  at,
  both,
  dealerFault,
  expectExcluded,
  flip,
  group,
  HEADER,
  honest,
  lie,
  setups,
  withBody,
  wrong,
  wrongSubshare,
  zeros,
} from '../test/lies.ts';
import { basePoint, groups, randomScalar } from './group.ts';
import { encodeCommitments, proofMessage } from './messages.ts';
import { firstDegree } from './setup.ts';
import { commitHash } from './verification.ts';

const dealerLies: [string, Tamper, Partial<Fault>][] = [
  ['sends no commit hash', lie('commit hash', () => []), dealerFault('commit hash', 'no message')],
  [
    'sends a short commit hash',
    lie('commit hash', (message) => [message.subarray(0, -1)]),
    dealerFault('commit hash', 'malformed message'),
  ],
  [
    'sends two commit hashes',
    lie('commit hash', (message) => [message, flip(message, -1), message]),
    dealerFault('commit hash', 'two different messages'),
  ],
  [
    'commits to another message',
    lie('commit hash', (message) => [flip(message, -1)]),
    dealerFault('commitments', 'not the committed message'),
  ],
  ['sends no commitments', lie('commitments', () => []), dealerFault('commitments', 'no message')],
  [
    'sends two commitments',
    lie('commitments', (message) => [message, flip(message, -1)]),
    dealerFault('commitments', 'two different messages'),
  ],
  [
    'sends wrong subshares to t receivers',
    lie('subshares', (message) => [wrongSubshare(message)], [1, 3]),
    dealerFault('complaints', 'receivers 1, 3 complain'),
  ],
  [
    'sends no subshares to t receivers',
    lie('subshares', () => [], [1, 3]),
    dealerFault('complaints', 'receivers 1, 3 complain'),
  ],
  [
    'sends a wrong subshare and does not answer',
    both(
      lie('subshares', (message) => [wrongSubshare(message)], [3]),
      lie('answers', () => []),
    ),
    dealerFault('answers', 'no message'),
  ],
  [
    'sends a malformed subshare and a wrong answer',
    both(
      lie('subshares', (message) => [withBody(message, zeros(32))], [3]),
      lie('answers', (message) => [withBody(message, concatBytes(Uint8Array.of(1, 3), wrong))]),
    ),
    dealerFault('answers', 'wrong subshare of receiver 3'),
  ],
  [
    'sends two subshares and answers for another receiver',
    both(
      lie('subshares', (message) => [message, wrongSubshare(message)], [3]),
      lie('answers', (message) => [
        withBody(message, concatBytes(Uint8Array.of(1, 1), message.subarray(HEADER + 2))),
      ]),
    ),
    dealerFault('answers', 'answers other complaints than were made'),
  ],
  [
    'sends no subshare and a malformed answer',
    both(
      lie('subshares', () => [], [3]),
      lie('answers', (message) => [concatBytes(message, zeros(1))]),
    ),
    dealerFault('answers', 'malformed message'),
  ],
];

describe.each(setups)('in a $kind, a dealer is named and excluded that', (setup) => {
  test.each(dealerLies)('%s', (_, tamper, fault) => {
    expectExcluded(honest(setup, tamper), fault);
  });
});

/** Node 2 commits to changed commitments, so that only their content is wrong. */
function runWithCommitments(
  setup: DealingSetup,
  change: (message: Uint8Array) => Uint8Array,
): DealingState[] {
  const states = start(setup, group.shares);
  const sent = states[1]?.sent.find(({ round }) => round === 'commitments');
  const changed = change(hexToBytes(sent?.message ?? ''));
  const tamper = both(
    lie('commit hash', (message) => [withBody(message, commitHash(changed))]),
    lie('commitments', () => [changed]),
  );
  return run(states, tamper).filter(({ party }) => party.dealer !== 2);
}

/** Commitments to other polynomials than the subshares have, with a correct proof. */
function otherCommitments(setup: DealingSetup, message: Uint8Array): Uint8Array {
  const scalars = range(setup.threshold - firstDegree(setup)).map(() => randomScalar());
  const points = scalars.map(basePoint);
  const proof = groups.ristretto255.signWith(scalars[0] ?? 0n, proofMessage(setup, 2, points));
  return withBody(message, encodeCommitments({ points, proof }));
}

describe.each(setups)('in a $kind, commitments name their dealer', (setup) => {
  test.each<[string, (message: Uint8Array) => Uint8Array, string]>([
    ['without a point', (message) => at(message, HEADER, zeros(32).fill(255)), 'malformed message'],
    ['with the identity', (message) => at(message, HEADER, zeros(32)), 'malformed message'],
    ['with a point too many', (message) => concatBytes(message, message.slice(40, 72)), 'malformed message'],
    ['that are cut', (message) => message.slice(0, -32), 'malformed message'],
    ['with a wrong proof', (message) => flip(message, -1), 'the proof of knowledge does not hold'],
    [
      'with a malformed proof',
      (message) => at(message, message.length - 64, zeros(64)),
      'the proof of knowledge does not hold',
    ],
  ])('%s', (_, change, reason) => {
    expectExcluded(runWithCommitments(setup, change), dealerFault('commitments', reason));
  });

  test('to other polynomials than of the subshares', () => {
    const fault =
      setup.kind === 'resharing'
        ? dealerFault('commitments', 'the constant term is not the share of the dealer')
        : dealerFault('complaints', 'receivers 1, 3 complain');
    // Node 2 finds its own subshare wrong too, but does not complain about itself.
    const states = runWithCommitments(setup, (message) => otherCommitments(setup, message));
    for (const state of states)
      expect(state.faults[0]).toMatchObject({ ...fault, reason: expect.any(String) });
    expect(states.map(({ faults }) => faults[0]?.reason).join()).toContain(fault.reason?.slice(-10));
  });
});
