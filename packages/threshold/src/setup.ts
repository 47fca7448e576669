import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bytes32, createReader, label, u8, u16, u32 } from './bytes.ts';
import { checkIdentifiers, type Suite, suites } from './group.ts';
import {
  checkEpoch,
  checkGroupParameters,
  checkThreshold,
  decodeGroupParameters,
  encodeGroupParameters,
  type GroupParameters,
} from './parameters.ts';

const KINDS = ['generation', 'refresh', 'resharing'] as const;
const DOMAIN = label('latchkey/threshold/setup/v1');

/**
 * A dealing, as its coordinator proposes it and every participant accepts it. Dealers are identifiers of the previous
 * group (in a generation, of the new one); receivers are the nodes of the new group. One machine can be both, also with two
 * different identifiers.
 */
export type DealingSetup = {
  /** The group of the key. */
  suite: Suite;
  /**
   * The constant terms that the dealers share: random in a `generation`, 0 in a `refresh`, and the dealers' own
   * shares in a `resharing`.
   */
  kind: (typeof KINDS)[number];
  /**
   * 32 bytes in lower-case hexadecimal, new for every attempt: messages of another session are refused. SHA-256 of random
   * bytes and of the identity keys of all participants, so that all agree whose key belongs to which identifier.
   */
  session: string;
  /** Epoch of the new shares: above the epoch of the previous group. */
  epoch: number;
  /** Threshold of the new group. */
  threshold: number;
  dealers: number[];
  receivers: number[];
  /** Null in a generation. Compare it with the contract's node configuration before you accept the setup. */
  previous: GroupParameters | null;
};

/** Returns the setup of a first group with these nodes. */
export function generationSetup(
  session: string,
  options: { threshold: number; nodes: number[]; epoch?: number; suite?: Suite },
): DealingSetup {
  const { threshold, nodes, epoch = 1, suite = 'ristretto255' } = options;
  const setup = {
    suite,
    kind: 'generation' as const,
    session,
    epoch,
    threshold,
    dealers: nodes,
    receivers: nodes,
  };
  return checkSetup({ ...setup, previous: null });
}

/** Returns the setup that gives all nodes new shares of the same key. The threshold must be at least 2. */
export function refreshSetup(
  session: string,
  previous: GroupParameters,
  epoch = previous.epoch + 1,
): DealingSetup {
  const nodes = previous.nodes.map(({ identifier }) => identifier);
  const { suite, threshold } = previous;
  return checkSetup({
    suite,
    kind: 'refresh',
    session,
    epoch,
    threshold,
    dealers: nodes,
    receivers: nodes,
    previous,
  });
}

/** Returns the setup that moves the key to other nodes or another threshold. The dealers are at least t previous nodes. */
export function resharingSetup(
  session: string,
  previous: GroupParameters,
  options: { dealers: number[]; receivers: number[]; threshold: number; epoch?: number },
): DealingSetup {
  return checkSetup({
    suite: previous.suite,
    kind: 'resharing',
    session,
    previous,
    epoch: previous.epoch + 1,
    ...options,
  });
}

/** Returns the setup. Throws a RangeError when it is not one of the three kinds of dealing. */
export function checkSetup(setup: DealingSetup): DealingSetup {
  const { kind, session, epoch, threshold, dealers, receivers, previous } = setup;
  bytes32(session);
  checkEpoch(epoch);
  checkIdentifiers(dealers);
  checkIdentifiers(receivers);
  checkThreshold(threshold, receivers.length);
  if ((kind === 'generation') !== (previous === null))
    throw new RangeError(`wrong previous group of a ${kind}`);
  if (kind !== 'resharing' && `${dealers}` !== `${receivers}`) {
    throw new RangeError(`in a ${kind} all nodes deal`);
  }
  if (previous) checkSuccession(setup, previous);
  return setup;
}

function checkSuccession(
  { suite, kind, epoch, threshold, dealers }: DealingSetup,
  previous: GroupParameters,
): void {
  checkGroupParameters(previous);
  if (suite !== previous.suite) throw new RangeError('the previous group has another suite');
  if (epoch <= previous.epoch) throw new RangeError(`the epoch must be above ${previous.epoch}`);
  const nodes = previous.nodes.map(({ identifier }) => identifier);
  if (!dealers.every((dealer) => nodes.includes(dealer)))
    throw new RangeError('a dealer is not in the group');
  if (dealers.length < previous.threshold) throw new RangeError(`expected ${previous.threshold} dealers`);
  if (kind !== 'refresh') return;
  if (dealers.length !== nodes.length || threshold !== previous.threshold) {
    throw new RangeError('a refresh keeps nodes and threshold');
  }
  if (threshold === 1)
    throw new RangeError('a group of threshold 1 has nothing to refresh: each share is the key');
}

/** Returns the canonical bytes of a setup, for the message that proposes it and for `setupHash`. */
export function encodeSetup(setup: DealingSetup): Uint8Array {
  const previous = utf8ToBytes(setup.previous ? encodeGroupParameters(setup.previous) : '');
  return concatBytes(
    DOMAIN,
    u8(suites.indexOf(setup.suite)),
    u8(KINDS.indexOf(setup.kind)),
    bytes32(setup.session),
    u32(setup.epoch),
    u8(setup.threshold),
    identifierBytes(setup.dealers),
    identifierBytes(setup.receivers),
    u16(previous.length),
    previous,
  );
}

/** Returns the setup of its canonical bytes. Throws a RangeError for other bytes and for a setup that `checkSetup` refuses. */
export function decodeSetup(bytes: Uint8Array): DealingSetup {
  const reader = createReader(bytes);
  reader.take(DOMAIN.length);
  const suite = suites[reader.integer(1)];
  const kind = KINDS[reader.integer(1)];
  if (!suite || !kind) throw new RangeError('unknown kind of dealing');
  const setup = {
    suite,
    kind,
    session: bytesToHex(reader.take(32)),
    epoch: reader.integer(4),
    threshold: reader.integer(1),
    dealers: [...reader.take(reader.integer(1))],
    receivers: [...reader.take(reader.integer(1))],
  };
  const previous = new TextDecoder().decode(reader.take(reader.integer(2)));
  const decoded = checkSetup({ ...setup, previous: previous ? decodeGroupParameters(previous) : null });
  if (bytesToHex(encodeSetup(decoded)) !== bytesToHex(bytes))
    throw new RangeError('the setup is not canonical');
  return decoded;
}

/** Returns 32 bytes that identify the dealing in every message. */
export const setupHash = (setup: DealingSetup): Uint8Array => sha256(encodeSetup(setup));

/** Dealings need so many qualified dealers: at least one is then honest, and a resharing can interpolate. */
export const requiredDealers = ({ previous, threshold }: DealingSetup): number =>
  previous ? previous.threshold : threshold;

/** Degree of the first coefficient that a dealer commits to. In a refresh the constant term is known: 0. */
export const firstDegree = ({ kind }: DealingSetup): 0 | 1 => (kind === 'refresh' ? 1 : 0);

const identifierBytes = (identifiers: number[]): Uint8Array =>
  concatBytes(u8(identifiers.length), Uint8Array.from(identifiers));
