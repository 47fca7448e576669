/** Checks of the messages of a round, when it is closed. Every participant gets the same faults from the same broadcasts. */
import { equalBytes } from '@noble/curves/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { label } from './bytes.ts';
import type { Fault } from './fault.ts';
import { groups, type Point } from './group.ts';
import {
  decodeAnswers,
  decodeCommitments,
  decodeComplaints,
  decodeHash,
  decodeSubshare,
  isOfDealers,
  proofMessage,
  type Round,
} from './messages.ts';
import { publicShareOf } from './parameters.ts';
import { type DealingSetup, firstDegree } from './setup.ts';
import { CONFLICT, type DealingState, qualifiedDealers } from './state.ts';

/** Returns the stored message of a sender, or undefined when there is none or there are two. */
export function messageOf({ received }: DealingState, round: Round, sender: number): Uint8Array | undefined {
  const stored = received[round][sender];
  return stored === undefined || stored === CONFLICT ? undefined : hexToBytes(stored);
}

/**
 * Returns the faults of these senders in a round. `decode` throws for a malformed message, `check` returns the reason of
 * another breach.
 */
function judge<T>(
  state: DealingState,
  round: Round,
  senders: number[],
  decode: (message: Uint8Array) => T,
  check: (body: T, sender: number, message: Uint8Array) => string | undefined = () => undefined,
): Fault[] {
  const reasonFor = (sender: number): string | undefined => {
    const message = messageOf(state, round, sender);
    if (!message) return state.received[round][sender] ? 'two different messages' : 'no message';
    let body: T;
    try {
      body = decode(message);
    } catch {
      return 'malformed message';
    }
    return check(body, sender, message);
  };
  const role = isOfDealers(round) ? 'dealer' : 'receiver';
  return senders.flatMap((identifier) => {
    const reason = reasonFor(identifier);
    return reason === undefined ? [] : [{ role, identifier, round, reason }];
  });
}

export const judgeCommitHashes = (state: DealingState): Fault[] =>
  judge(state, 'commit hash', state.setup.dealers, decodeHash);

export function judgeCommitments(state: DealingState): Fault[] {
  const { setup } = state;
  const { isSignedBy } = groups[setup.suite];
  const decode = (message: Uint8Array) => decodeCommitments(setup, message);
  return judge(
    state,
    'commitments',
    qualifiedDealers(state),
    decode,
    ({ points, proof }, dealer, message) => {
      const hash = messageOf(state, 'commit hash', dealer);
      if (!hash || !equalBytes(decodeHash(hash), commitHash(message))) return 'not the committed message';
      const [first] = points;
      if (setup.kind === 'resharing' && setup.previous) {
        const share = publicShareOf(setup.previous, dealer);
        if (!first || !equalBytes(first.toBytes(), share))
          return 'the constant term is not the share of the dealer';
      }
      if (!first || !isSignedBy(first, proofMessage(setup, dealer, points), proof)) {
        return 'the proof of knowledge does not hold';
      }
      return undefined;
    },
  );
}

/** Returns the dealers whose subshare for this participant is missing or wrong. */
export function judgeSubshares(state: DealingState): Fault[] {
  const { setup, party } = state;
  const { receiver } = party;
  if (receiver === undefined) return [];
  const decode = (message: Uint8Array) => decodeSubshare(setup, message);
  return judge(state, 'subshares', qualifiedDealers(state), decode, (subshare, dealer) =>
    isSubshare(state, dealer, receiver, subshare) ? undefined : 'wrong subshare',
  );
}

/** Names receivers with malformed complaints, and dealers that t receivers complain about: one of them is honest. */
export function judgeComplaints(state: DealingState): Fault[] {
  const { setup } = state;
  const decode = (message: Uint8Array) => decodeComplaints(setup, message);
  const excluded = qualifiedDealers(state).flatMap((identifier): Fault[] => {
    const complainants = complainantsOf(state, identifier);
    if (complainants.length < setup.threshold) return [];
    const reason = `receivers ${complainants.join(', ')} complain`;
    return [{ role: 'dealer', identifier, round: 'complaints', reason }];
  });
  return [...judge(state, 'complaints', setup.receivers, decode), ...excluded];
}

/** Names dealers that do not answer with the right subshare, and receivers that complained about a dealer that does. */
export function judgeAnswers(state: DealingState): Fault[] {
  const disputed = qualifiedDealers(state).filter(
    (dealer) => complainantsOf(state, dealer).length > 0 || state.received.answers[dealer] !== undefined,
  );
  const decode = (message: Uint8Array) => decodeAnswers(state.setup, message);
  const dealers = judge(state, 'answers', disputed, decode, (answers, dealer) => {
    if (`${answers.map(({ receiver }) => receiver)}` !== `${complainantsOf(state, dealer)}`) {
      return 'answers other complaints than were made';
    }
    const wrong = answers.find(({ receiver, subshare }) => !isSubshare(state, dealer, receiver, subshare));
    return wrong && `wrong subshare of receiver ${wrong.receiver}`;
  });
  const answered = disputed.filter((dealer) => !dealers.some(({ identifier }) => identifier === dealer));
  const receivers = answered.flatMap((dealer) =>
    complainantsOf(state, dealer).map((identifier): Fault => {
      const reason = `complains about dealer ${dealer}, which has shown the right subshare`;
      return { role: 'receiver', identifier, round: 'complaints', reason };
    }),
  );
  return [...dealers, ...receivers];
}

export function judgeConfirmations(state: DealingState, transcriptHash: Uint8Array): Fault[] {
  return judge(state, 'confirmation', state.setup.receivers, decodeHash, (hash) =>
    equalBytes(hash, transcriptHash) ? undefined : 'another transcript',
  );
}

/** Returns the receivers that complain about a dealer, ascending. */
export function complainantsOf(state: DealingState, dealer: number): number[] {
  return state.setup.receivers.filter((receiver) => {
    const message = messageOf(state, 'complaints', receiver);
    try {
      return message !== undefined && decodeComplaints(state.setup, message).includes(dealer);
    } catch {
      return false;
    }
  });
}

/** Returns the hash that a dealer sends before its commitments, so that they cannot depend on the commitments of others. */
export const commitHash = (message: Uint8Array): Uint8Array =>
  sha256(concatBytes(label('latchkey/threshold/commit/v1'), message));

/** Returns the commitments of a qualified dealer. */
export function pointsOf(state: DealingState, dealer: number): Point[] {
  const message = messageOf(state, 'commitments', dealer);
  if (!message) throw new Error(`no commitments of dealer ${dealer}`);
  return decodeCommitments(state.setup, message).points;
}

/** Returns the committed polynomial at an identifier, times G. */
export function evaluatePoints(setup: DealingSetup, points: Point[], identifier: number): Point {
  const { powers, weightedPoint } = groups[setup.suite];
  return weightedPoint(points, powers(identifier, firstDegree(setup), points.length));
}

function isSubshare(state: DealingState, dealer: number, receiver: number, subshare: bigint): boolean {
  const expected = evaluatePoints(state.setup, pointsOf(state, dealer), receiver);
  return groups[state.setup.suite].basePoint(subshare).equals(expected);
}
