/** Node 2 of three as the liar in a dealing of each kind. */
import {
  checkGroupParameters,
  checkShare,
  type DealingSetup,
  type DealingState,
  dealingResult,
  type Fault,
  generationSetup,
  type Round,
  refreshSetup,
  resharingSetup,
  type Share,
} from '@latchkey/threshold';
import { concatBytes } from '@noble/hashes/utils.js';
import { expect } from 'vitest';
import { encodeScalar, randomScalar } from '../src/group.ts';
import { newSession, range, run, split, start, type Tamper } from './dealings.ts';

export const HEADER = 40;
export const group = split(5n, 2, range(3));
export const generation = generationSetup(newSession(), { threshold: 2, nodes: range(3) });
const refreshing = refreshSetup(newSession(), group.parameters);
export const resharing = resharingSetup(newSession(), group.parameters, {
  dealers: range(3),
  receivers: range(3),
  threshold: 2,
});
export const setups = [generation, refreshing, resharing];

export const withBody = (message: Uint8Array, body: Uint8Array): Uint8Array =>
  concatBytes(message.subarray(0, HEADER), body);
export const wrong = encodeScalar(randomScalar());
export const wrongSubshare = (message: Uint8Array): Uint8Array => withBody(message, wrong);
export const zeros = (length: number): Uint8Array => new Uint8Array(length);
export const flip = (message: Uint8Array, at: number): Uint8Array =>
  message.map((byte, i) => (i === (at + message.length) % message.length ? byte ^ 1 : byte));

/** Node 2 replaces its messages of a round, for all receivers or for these. */
export const lie =
  (round: Round, change: (message: Uint8Array) => Uint8Array[], to = range(3)): Tamper =>
  (delivery) =>
    delivery.round === round && delivery.from.dealer === 2 && to.includes(delivery.to.receiver ?? 0)
      ? change(delivery.message)
      : [delivery.message];
export const both =
  (...tampers: Tamper[]): Tamper =>
  (delivery) =>
    tampers.reduce(
      (messages, tamper) => messages.flatMap((message) => tamper({ ...delivery, message })),
      [delivery.message],
    );

/** The honest participants after a run with node 2 as the liar. */
export const honest = (setup: DealingSetup, tamper: Tamper): DealingState[] =>
  run(start(setup, group.shares), tamper).filter(({ party }) => party.dealer !== 2);

export const dealerFault = (round: Round, reason: string): Partial<Fault> => ({
  role: 'dealer',
  identifier: 2,
  round,
  reason,
});

/** Checks that honest nodes name node 2 and have shares of one key without it. */
export function expectExcluded(states: DealingState[], fault: Partial<Fault>): void {
  const results = states.map(dealingResult);
  for (const { parameters, share, faults, qualified } of results) {
    expect(faults).toMatchObject([fault]);
    expect(qualified).toEqual([1, 3]);
    checkGroupParameters(parameters);
    checkShare(parameters, share as Share);
  }
  expect(new Set(results.map(({ transcriptHash }) => transcriptHash)).size).toBe(1);
}

/** Returns the message with other bytes at a position. */
export const at = (message: Uint8Array, position: number, bytes: Uint8Array): Uint8Array => {
  const changed = message.slice();
  changed.set(bytes, position);
  return changed;
};
