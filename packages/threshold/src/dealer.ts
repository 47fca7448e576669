/** The part of a dealer: it shares its constant term and answers complaints. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { checkShare, type Share } from './evaluation.ts';
import { groups, type Rng } from './group.ts';
import { decodeSubshare, encodeAnswers, encodeCommitments, encodeMessage, proofMessage } from './messages.ts';
import { type DealingSetup, firstDegree } from './setup.ts';
import { type DealingState, qualifiedDealers, send } from './state.ts';
import { commitHash, complainantsOf } from './verification.ts';

/** Returns the secret that the dealer shares: the one difference between the kinds of dealing before the result. */
export function constantTerm(
  { kind, suite, previous }: DealingSetup,
  dealer: number,
  share?: Share,
  rng?: Rng,
): bigint {
  const { randomScalar, decodeScalar } = groups[suite];
  if (!previous) return randomScalar(rng);
  if (share?.identifier !== dealer) throw new RangeError(`expected the share of node ${dealer}`);
  checkShare(previous, share);
  return kind === 'refresh' ? 0n : decodeScalar(share.secret);
}

/** Adds the dealer's messages of the first three rounds. */
export function deal(state: DealingState, dealer: number, constant: bigint, rng?: Rng): DealingState {
  const { setup } = state;
  const { basePoint, encodeScalar, powers, randomScalar, signWith, weightedSum } = groups[setup.suite];
  const others = Array.from({ length: setup.threshold - 1 }, () => randomScalar(rng));
  const coefficients = [constant, ...others];
  const committed = coefficients.slice(firstDegree(setup));
  const points = committed.map(basePoint);
  const proof = signWith(committed[0] ?? 0n, proofMessage(setup, dealer, points));
  const header = { sender: dealer, receiver: 0 };
  const body = encodeCommitments({ points, proof });
  const commitments = encodeMessage(setup, { ...header, round: 'commitments' }, body);
  let next = send(state, { ...header, round: 'commit hash' }, commitHash(commitments));
  next = send(next, { ...header, round: 'commitments' }, body);
  for (const receiver of setup.receivers) {
    const subshare = weightedSum(coefficients, powers(receiver, 0, setup.threshold));
    next = send(next, { sender: dealer, receiver, round: 'subshares' }, encodeScalar(subshare));
  }
  return next;
}

/** Reveals the disputed subshares: fewer than t, so that they do not determine the polynomial. */
export function answer(state: DealingState): DealingState {
  const { setup, party } = state;
  const { dealer } = party;
  if (dealer === undefined || !qualifiedDealers(state).includes(dealer)) return state;
  const complainants = complainantsOf(state, dealer);
  if (complainants.length === 0) return state;
  const answers = state.sent
    .filter(({ round, receiver }) => round === 'subshares' && complainants.includes(receiver))
    .map(({ receiver, message }) => ({ receiver, subshare: decodeSubshare(setup, hexToBytes(message)) }));
  return send(state, { round: 'answers', sender: dealer, receiver: 0 }, encodeAnswers(setup, answers));
}
