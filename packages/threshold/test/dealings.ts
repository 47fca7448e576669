/** Runs dealings of several participants in one process, with messages that a test can replace. */
import {
  advance,
  type DealingResult,
  type DealingSetup,
  type DealingState,
  dealingResult,
  type GroupParameters,
  generationSetup,
  missing,
  outgoing,
  type Party,
  publishedParameters,
  type Round,
  receive,
  type Share,
  startDealing,
} from '@latchkey/threshold';
import { ristretto255 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { randomBytes } from '@noble/curves/utils.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { groups, randomScalar, type Suite, suites } from '../src/group.ts';
import { rounds } from '../src/messages.ts';

/** A message on its way. */
export type Delivery = { from: Party; to: Party; round: Round; message: Uint8Array };
/** Returns the messages that arrive instead of this one. */
export type Tamper = (delivery: Delivery) => Uint8Array[];

export const newSession = (): string => bytesToHex(randomBytes(32));
export const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

/** Byte of a message with its round; the next one is its sender. */
const ROUND_AT = 37;
const senderOf = (message: Uint8Array): number => message[ROUND_AT + 1] ?? 0;
const roundOf = (message: Uint8Array): Round => rounds[message[ROUND_AT] ?? 0] ?? 'commit hash';

/** Participants where identifier i of the previous group and of the new one is the same machine. */
export function partiesOf({ dealers, receivers }: DealingSetup): Party[] {
  return [...new Set([...dealers, ...receivers])].map((identifier) => ({
    ...(dealers.includes(identifier) && { dealer: identifier }),
    ...(receivers.includes(identifier) && { receiver: identifier }),
  }));
}

const isSame = (a: Party, b: Party): boolean => a.dealer === b.dealer && a.receiver === b.receiver;

export function start(setup: DealingSetup, shares: Share[] = [], parties = partiesOf(setup)): DealingState[] {
  return parties.map((party) => {
    const share = shares.find(({ identifier }) => identifier === party.dealer);
    return startDealing(setup, party, share && { share });
  });
}

/** Returns the deliveries of the open round of one participant. */
function deliveriesOf(state: DealingState, states: DealingState[]): Delivery[] {
  return outgoing(state).flatMap(({ receiver, message }) =>
    states
      .filter(({ party }) => !isSame(party, state.party) && (receiver === 0 || party.receiver === receiver))
      .map(({ party }) => ({ from: state.party, to: party, round: roundOf(message), message })),
  );
}

/** Runs the states to the end, round by round. Refused messages go to `refuse`. */
export function run(
  states: DealingState[],
  tamper: Tamper = ({ message }) => [message],
  refuse: (error: unknown) => void = (error) => {
    throw error;
  },
): DealingState[] {
  let current = states;
  while (current.some(({ round }) => round !== 'done')) {
    const deliveries = current.flatMap((state) => deliveriesOf(state, current));
    current = current.map((state) => {
      const believed = withOwnLies(state, deliveries, tamper);
      return advanceOpen(deliverAll(believed, deliveries, tamper, refuse));
    });
  }
  return current;
}

/** Returns the state of a sender that knows which messages it sent to all, so that it can confirm the transcript. */
function withOwnLies(state: DealingState, deliveries: Delivery[], tamper: Tamper): DealingState {
  const own = deliveries.find(({ from, round }) => isSame(from, state.party) && round !== 'subshares');
  if (!own) return state;
  const { [senderOf(own.message)]: _, ...others } = state.received[own.round];
  const unsent = { ...state, received: { ...state.received, [own.round]: others } };
  return deliverAll(unsent, [{ ...own, from: state.party, to: state.party }], tamper, () => {});
}

const advanceOpen = (state: DealingState): DealingState => (state.round === 'done' ? state : advance(state));

function deliverAll(
  state: DealingState,
  deliveries: Delivery[],
  tamper: Tamper,
  refuse: (error: unknown) => void,
): DealingState {
  let next = state;
  for (const delivery of deliveries.filter(({ to }) => isSame(to, state.party))) {
    for (const message of tamper(delivery)) {
      try {
        next = receive(next, delivery.from, message);
      } catch (error) {
        refuse(error);
      }
    }
  }
  return next;
}

/**
 * Runs the states in an order that `choose` picks: messages come early, and participants close rounds at any time.
 * `restore` gets every new state and returns the one to continue with.
 */
export function runInOrder(
  states: DealingState[],
  choose: (options: number) => number,
  restore: (state: DealingState) => DealingState = (state) => state,
): DealingState[] {
  const current = [...states];
  const pending: Delivery[] = states.flatMap((state) => deliveriesOf(state, states));
  for (;;) {
    const ready = current.filter((state) => state.round !== 'done' && missing(state).length === 0);
    if (ready.length + pending.length === 0) return current;
    const choice = choose(ready.length + pending.length);
    const state = ready[choice];
    if (state) {
      const next = restore(advance(state));
      current[current.indexOf(state)] = next;
      if (next.round !== 'done') pending.push(...deliveriesOf(next, current));
      continue;
    }
    for (const { from, to, message } of pending.splice(choice - ready.length, 1)) {
      const at = current.findIndex(({ party }) => isSame(party, to));
      const receiver = current[at];
      if (receiver) current[at] = restore(receive(receiver, from, message));
    }
  }
}

/** A group and the shares of its nodes. */
export type Group = { parameters: GroupParameters; shares: Share[] };

/** Returns the group of a dealing in which all participants have the same result. */
export function groupOf(states: DealingState[]): Group {
  const results: DealingResult[] = states.map(dealingResult);
  const [first] = results;
  if (!first) throw new Error('no result');
  for (const { parameters, transcriptHash } of results) {
    if (transcriptHash !== first.transcriptHash) throw new Error('the transcripts differ');
    if (JSON.stringify(parameters) !== JSON.stringify(first.parameters)) throw new Error('the groups differ');
  }
  const shares = results.flatMap(({ share }) => share ?? []);
  return { parameters: first.parameters, shares: shares.sort((a, b) => a.identifier - b.identifier) };
}

export const generate = (threshold: number, n: number): Group =>
  groupOf(run(start(generationSetup(newSession(), { threshold, nodes: range(n) }))));

/** Returns the shares of a given root. */
export function splitSecret(
  root: bigint,
  threshold: number,
  nodes: number[],
  suite: Suite = 'ristretto255',
): bigint[] {
  const { powers, weightedSum } = groups[suite];
  const coefficients = [root, ...range(threshold - 1).map(() => randomScalar())];
  return nodes.map((x) => weightedSum(coefficients, powers(x, 0, threshold)));
}

/** Returns the group of a given root, which only a test can know. */
export function split(
  root: bigint,
  threshold: number,
  nodes: number[],
  epoch = 1,
  suite: Suite = 'ristretto255',
): Group {
  const { basePoint, encodeScalar } = groups[suite];
  const secrets = splitSecret(root, threshold, nodes, suite);
  const hex = (scalar: bigint) => bytesToHex(basePoint(scalar).toBytes());
  return {
    parameters: {
      version: 1,
      suite,
      epoch,
      threshold,
      groupPublicKey: hex(root),
      nodes: nodes.map((identifier, i) => ({ identifier, publicShare: hex(secrets[i] ?? 0n) })),
    },
    shares: nodes.map((identifier, i) => ({ epoch, identifier, secret: encodeScalar(secrets[i] ?? 0n) })),
  };
}

/** Returns the group of given roots of all keys, in the order of the suites: the first is published with the others. */
export function splitAll(root: bigint, threshold: number, nodes: number[], epoch = 1): [Group, ...Group[]] {
  const [evaluation, ...signing] = suites.map((suite) => split(root, threshold, nodes, epoch, suite));
  if (!evaluation) throw new Error('no suites');
  const parameters = publishedParameters([evaluation, ...signing].map((group) => group.parameters));
  return [{ ...evaluation, parameters }, ...signing];
}

/** Returns the root of t shares, which exists in tests only: Lagrange's formula in plain integers. */
export function rootOf(shares: Share[], suite: Suite = 'ristretto255'): bigint {
  const { Fn } = (suite === 'secp256k1' ? secp256k1 : ristretto255).Point;
  const order = Fn.ORDER;
  const inverse = (value: bigint) => Fn.pow(((value % order) + order) % order, order - 2n);
  const terms = shares.map(({ identifier, secret }) => {
    const x = BigInt(identifier);
    const others = shares.map((share) => BigInt(share.identifier)).filter((other) => other !== x);
    const value = Fn.fromBytes(secret);
    return others.reduce((term, other) => (term * -other * inverse(x - other)) % order, value);
  });
  return ((terms.reduce((sum, term) => sum + term, 0n) % order) + order) % order;
}
