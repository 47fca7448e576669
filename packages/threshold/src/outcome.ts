/** The result of the qualified dealers' polynomials: public shares, the own share, and the transcript. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { label, u8 } from './bytes.ts';
import { groups, type Point } from './group.ts';
import { decodeAnswers, decodeSubshare, isOfDealers, type Round, rounds } from './messages.ts';
import { encodeGroupParameters, type GroupParameters, publicShareOf } from './parameters.ts';
import { requiredDealers, setupHash } from './setup.ts';
import { type DealingState, type Outcome, qualifiedDealers } from './state.ts';
import { complainantsOf, evaluatePoints, messageOf, pointsOf } from './verification.ts';

/** Rounds that every participant sees and that determine the result. */
const transcriptRounds = rounds.filter((round) => round !== 'subshares' && round !== 'confirmation');

/** Returns the outcome after the answers, or null when too few dealers are qualified. */
export function outcomeOf(state: DealingState): Outcome | null {
  const { setup } = state;
  const dealers = qualifiedDealers(state);
  if (dealers.length < requiredDealers(setup)) return null;
  const weights = setup.kind === 'resharing' ? groups[setup.suite].lagrange(dealers) : dealers.map(() => 1n);
  const parameters = groupParameters(state, dealers, weights);
  const share = shareOf(state, dealers, weights, parameters);
  return { parameters, share, transcriptHash: bytesToHex(transcriptHash(state, parameters)) };
}

function groupParameters(state: DealingState, dealers: number[], weights: bigint[]): GroupParameters {
  const { setup } = state;
  const { kind, suite, epoch, threshold, previous } = setup;
  const { decodePoint, weightedPoint } = groups[suite];
  const dealt = dealers.map((dealer) => pointsOf(state, dealer));
  const sums = (dealt[0] ?? []).map((_, degree) =>
    weightedPoint(
      dealt.flatMap((points) => points[degree] ?? []),
      weights,
    ),
  );
  const nodes = setup.receivers.map((identifier) => {
    const point = evaluatePoints(setup, sums, identifier);
    const old = kind === 'refresh' && previous ? decodePoint(publicShareOf(previous, identifier)) : undefined;
    return { identifier, publicShare: pointHex(old ? point.add(old) : point) };
  });
  const groupPublicKey = kind === 'refresh' ? previous?.groupPublicKey : sums[0] && pointHex(sums[0]);
  if (groupPublicKey === undefined || (previous && groupPublicKey !== previous.groupPublicKey)) {
    throw new Error('the dealers’ constant terms do not give the group public key');
  }
  return { version: 1, suite, epoch, threshold, groupPublicKey, nodes };
}

/** Returns the own share in hexadecimal: SECRET. Null when this participant is not a receiver. */
function shareOf(
  state: DealingState,
  dealers: number[],
  weights: bigint[],
  parameters: GroupParameters,
): string | null {
  const { setup, party } = state;
  const { receiver } = party;
  if (receiver === undefined) return null;
  const { basePoint, decodeScalar, encodeScalar, weightedSum } = groups[setup.suite];
  const subshares = dealers.map((dealer) => subshareOf(state, dealer, receiver));
  const previous = state.previousShare === null ? [] : [decodeScalar(hexToBytes(state.previousShare))];
  const share = weightedSum([...subshares, ...previous], [...weights, 1n]);
  if (pointHex(basePoint(share)) !== bytesToHex(publicShareOf(parameters, receiver))) {
    throw new Error('the share does not match its public share');
  }
  return bytesToHex(encodeScalar(share));
}

/** Returns the subshare that the dealer sent, or its answer when this participant complained. */
function subshareOf(state: DealingState, dealer: number, receiver: number): bigint {
  const hasComplained = complainantsOf(state, dealer).includes(receiver);
  const message = messageOf(state, hasComplained ? 'answers' : 'subshares', dealer);
  if (!message) throw new Error(`no subshare of dealer ${dealer}`);
  if (!hasComplained) return decodeSubshare(state.setup, message);
  const answer = decodeAnswers(state.setup, message).find((candidate) => candidate.receiver === receiver);
  if (!answer) throw new Error(`no answer of dealer ${dealer}`);
  return answer.subshare;
}

function transcriptHash(state: DealingState, parameters: GroupParameters): Uint8Array {
  const { setup } = state;
  const messages = transcriptRounds.flatMap((round) =>
    (isOfDealers(round) ? setup.dealers : setup.receivers).map((sender) => entryOf(state, round, sender)),
  );
  return sha256(
    concatBytes(
      label('latchkey/threshold/transcript/v1'),
      setupHash(setup),
      ...messages,
      utf8ToBytes(encodeGroupParameters(parameters)),
    ),
  );
}

/** 0 without a message, 1 and its hash, or 2 for two different messages. */
function entryOf(state: DealingState, round: Round, sender: number): Uint8Array {
  const message = messageOf(state, round, sender);
  if (message) return concatBytes(u8(1), sha256(message));
  return u8(state.received[round][sender] === undefined ? 0 : 2);
}

/** Throws for the identity, which no group may publish. */
function pointHex(point: Point): string {
  if (point.is0()) throw new Error('a public share is the identity');
  return bytesToHex(point.toBytes());
}
