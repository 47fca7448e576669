/**
 * One dealing of all keys of a group: a dealing per suite, in step, with the same nodes, rounds and session. Each message belongs to
 * one of them by the hash of its setup. There is a result only when each has one.
 */
import { equalBytes } from '@noble/curves/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { createReader, u16 } from './bytes.ts';
import {
  advance,
  dealingResult,
  missing,
  outgoing,
  receive,
  rejectSubshare,
  startDealing,
} from './dealing.ts';
import type { Share } from './evaluation.ts';
import { describeFault, type Fault, FaultError } from './fault.ts';
import { suites } from './group.ts';
import type { Round } from './messages.ts';
import { checkSigningParameters, type GroupParameters, publishedParameters } from './parameters.ts';
import {
  type DealingSetup,
  decodeSetup,
  encodeSetup,
  generationSetup,
  refreshSetup,
  resharingSetup,
  setupHash,
} from './setup.ts';
import type { DealingState, Party } from './state.ts';

/** The setups of the suites, in their order. All but the suite and the previous parameters is the same. */
export type JointSetup = [DealingSetup, ...DealingSetup[]];
/** SECRET. The states of the suites, in their order. */
export type JointState = [DealingState, ...DealingState[]];

/** Returns one value per suite of the group of evaluations and of those to sign with. */
function each<T, U>([first, ...others]: [T, ...T[]], change: (value: T, index: number) => U): [U, ...U[]] {
  return [change(first, 0), ...others.map((value, i) => change(value, i + 1))];
}

export const jointGeneration = (
  session: string,
  options: { threshold: number; nodes: number[] },
): JointSetup => each([...suites], (suite) => generationSetup(session, { ...options, suite }));

/** @param previous The published parameters, then the parameters of the keys to sign with. */
export const jointRefresh = (
  session: string,
  previous: [GroupParameters, ...GroupParameters[]],
): JointSetup => checkJoint(each(previous, (parameters) => refreshSetup(session, parameters)));

export const jointResharing = (
  session: string,
  previous: [GroupParameters, ...GroupParameters[]],
  options: { dealers: number[]; receivers: number[]; threshold: number },
): JointSetup => checkJoint(each(previous, (parameters) => resharingSetup(session, parameters, options)));

function checkJoint(setups: JointSetup): JointSetup {
  if (`${setups.map(({ suite }) => suite)}` !== `${suites}`)
    throw new RangeError('the setup is not of all keys');
  const common = setups.map(({ suite: _, previous: __, ...rest }) => JSON.stringify(rest));
  if (new Set(common).size !== 1) throw new RangeError('the setups of the keys differ');
  const [published, ...signing] = setups.flatMap(({ previous }) => previous ?? []);
  if (published) checkSigningParameters(published, signing);
  return setups;
}

/** Returns the canonical bytes: the setup of each suite after its length (u16). */
export const encodeJointSetup = (setups: JointSetup): Uint8Array =>
  concatBytes(...setups.map(encodeSetup).flatMap((bytes) => [u16(bytes.length), bytes]));

/** Throws a RangeError for other bytes, and for setups that do not belong together. */
export function decodeJointSetup(bytes: Uint8Array): JointSetup {
  const reader = createReader(bytes);
  const setups = each([...suites], () => decodeSetup(reader.take(reader.integer(2))));
  reader.end();
  return checkJoint(setups);
}

/** @param shares Of a dealer of a refresh or resharing: its share of each key, in the order of the suites. */
export const startJoint = (setups: JointSetup, party: Party, shares?: Share[]): JointState =>
  each(setups, (setup, i) => startDealing(setup, party, shares?.[i] ? { share: shares[i] } : {}));

export const jointOutgoing = (states: JointState): ReturnType<typeof outgoing> =>
  jointRound(states) === 'done' ? [] : states.flatMap(outgoing);

/** Throws a FaultError like `receive`. */
export function jointReceive(states: JointState, from: Party, message: Uint8Array): JointState {
  const hash = message.subarray(1, 33);
  const found = states.findIndex(({ setup }) => equalBytes(setupHash(setup), hash));
  // A message of no suite goes to the first state, which names its fault.
  const at = Math.max(found, 0);
  const state = states[at] ?? states[0];
  const received = receive(state, from, message);
  return received === state ? states : each(states, (other, i) => (i === at ? received : other));
}

/** Returns the state with malformed subshares of a dealer: which key it was for is not known. */
export const rejectJointSubshare = (states: JointState, dealer: number): JointState =>
  each(states, (state) => rejectSubshare(state, dealer));

/** Returns the senders, ascending, of whom a message of the open round has not come. */
export const jointMissing = (states: JointState): number[] =>
  jointRound(states) === 'done' ? [] : [...new Set(states.flatMap(missing))].sort((a, b) => a - b);

export const jointAdvance = (states: JointState): JointState => each(states, advance);

/** Returns the open round. A dealing that has failed for one key is done. */
export const jointRound = (states: JointState): Round | 'done' =>
  states.some(({ round }) => round === 'done') ? 'done' : states[0].round;

/** The breaches of one kind in all dealings, each once. */
export function jointFaults(states: JointState, kind: 'faults' | 'observations'): Fault[] {
  const all = states.flatMap((state) => state[kind]);
  return [...new Map(all.map((fault) => [describeFault(fault), fault])).values()];
}

/** The result of a joint dealing that all receivers confirmed. `published` names the keys of `signing`. */
export type JointResult = {
  published: GroupParameters;
  signing: GroupParameters[];
  /** SECRET. In the order of the suites; empty for a dealer that is not a receiver. */
  shares: Share[];
  /** 32 bytes in hexadecimal. */
  transcriptHash: string;
};

/** Throws a FaultError when the dealing of one key has failed: then the previous shares of all stay in use. */
export function jointResult(states: JointState): JointResult {
  const failed = states.find(({ round, outcome }) => round === 'done' && !outcome);
  if (failed) throw new FaultError(failed.faults);
  const results = each(states, dealingResult);
  const parameters = each(results, (result) => result.parameters);
  return {
    published: publishedParameters(parameters),
    signing: parameters.slice(1),
    shares: results.flatMap(({ share }) => share ?? []),
    transcriptHash: bytesToHex(
      sha256(concatBytes(...results.map((result) => hexToBytes(result.transcriptHash)))),
    ),
  };
}

/** SECRET. Returns the outcome before it is confirmed, null while one key has none or this participant is not a receiver. */
export function jointOutcome(states: JointState): Omit<JointResult, 'transcriptHash'> | null {
  const outcomes = states.flatMap(({ outcome }) => outcome ?? []);
  const [first, ...others] = outcomes.map(({ parameters }) => parameters);
  const { receiver } = states[0].party;
  if (!first || outcomes.length !== states.length || receiver === undefined) return null;
  const shares = outcomes.flatMap(({ parameters: { epoch }, share }) =>
    share === null ? [] : { epoch, identifier: receiver, secret: hexToBytes(share) },
  );
  if (shares.length !== states.length) return null;
  return { published: publishedParameters([first, ...others]), signing: others, shares };
}

/** Returns the states without the shares of their outcomes. */
export const withoutShares = (states: JointState): JointState =>
  each(states, (state) => ({ ...state, outcome: state.outcome && { ...state.outcome, share: null } }));
