/** Threshold signatures by the key nodes (FROST, RFC 9591): this runner coordinates, and never sees a key or a share of one. */
import { createRecipient, createStatement, type KeyPurpose, MAX_NONCES } from '@latchkey/key-protocol';
import {
  aggregate,
  FaultError,
  type GroupParameters,
  isCommitment,
  type KeyType,
  type SigningKey,
  signersOf,
  signingKey,
  suiteOf,
} from '@latchkey/threshold';
import { LRUCache } from 'lru-cache';
import { type Chosen, createNoncePool, type SigningGroup } from './nonce-pool.ts';
import {
  type Answer,
  type AskNodes,
  createDecoder,
  KeyNotReleasedError,
  type RunOfKeys,
} from './releases.ts';

/** Time for the first set of nodes; each further one has twice as long. */
const FIRST_TIMEOUT_MS = 400;
const MAX_ATTEMPTS = 6;
const MAX_KNOWN_KEYS = 1_000;
/** Length of 0x and 64 digits. */
const UINT256_CHARS = 66;

export type ToSign = { wallet: string; keyType: KeyType; message: Uint8Array };
type Signed = { signature: Uint8Array; publicKey: Uint8Array };

/** Lets t nodes sign. Rejects with KeyNotReleasedError. A node whose share does not hold is logged, and replaced by another. */
export type Signatures = (run: RunOfKeys, ask: AskNodes, toSign: ToSign) => Promise<Signed>;

export type SignaturesOptions = {
  /** Group public key of the evaluations, hexadecimal. */
  group: string;
  signing: SigningGroup;
  /** Called with the identifier of a node that gave an answer that does not hold. */
  onWrongAnswer: (node: number, reason: string) => void;
};

export function createSignatures(options: SignaturesOptions): Signatures {
  const { signing, onWrongAnswer: report } = options;
  const exchange = createExchange(options);
  const nonces = {
    ed25519: createNonceSource('ed25519', signing, exchange),
    secp256k1: createNonceSource('secp256k1', signing, exchange),
  };

  const keyOf = createKeys(signing);

  return async ({ runId, ...run }, ask, { wallet, keyType, message }) => {
    const { choose, penalise } = nonces[suiteOf(keyType)];
    const combine = createAggregation(keyOf, keyType, message);
    const purpose = { kind: 'sign' as const, ...run, wallet, keyType };
    const encoded = Buffer.from(message).toString('base64');
    const liars = new Set<number>();
    let end: Ended | undefined;
    for (let i = 1; i <= MAX_ATTEMPTS; i++) {
      const chosen = await choose(ask, liars);
      const { commitments, nodes } = chosen;
      const answers = new Map<number, Opened>();
      const exchanged = await exchange({ ...purpose, message: encoded, commitments }, ask, {
        runId,
        onAnswer(answer) {
          const at = commitments.findIndex(({ identifier }) => identifier === answer.identifier);
          if (nodes[at] === answer.node) answers.set(answer.identifier, answer);
          return commitments.every(({ identifier }) => answers.has(identifier));
        },
        timeoutMs: FIRST_TIMEOUT_MS * 2 ** (i - 1),
        isMissing: () => i === MAX_ATTEMPTS,
      });
      end = exchanged.end;
      if (end?.isRefused) break;
      const { signed, cheaters } = exchanged.isEnough
        ? combine(chosen, answers)
        : { signed: undefined, cheaters: malformedOf(chosen) };
      for (const { node, identifier } of cheaters) {
        if (liars.has(node)) continue;
        liars.add(node);
        penalise(node, true, Date.now());
        report(
          identifier,
          exchanged.isEnough ? 'the signature share or path does not hold' : 'malformed commitments',
        );
      }
      if (signed) return signed;
      if (cheaters.length > 0) continue;
      // When all nodes answered, they disagree about the path, and other nodes show which one is right.
      for (const [at, node] of nodes.entries())
        if (exchanged.isEnough || !answers.has(commitments[at]?.identifier ?? 0))
          penalise(node, false, Date.now());
    }
    throw new KeyNotReleasedError(end?.message ?? 'too few key nodes answer', end?.isRefused ?? false);
  };
}

/** A node by the relayer's number, and the identifier that it claims. */
type Claim = { node: number; identifier: number };

/** Nodes whose commitments no other node takes. */
const malformedOf = ({ parameters: { suite }, commitments, nodes }: Chosen): Claim[] =>
  commitments.flatMap((commitment, at) => {
    const { identifier } = commitment;
    const isMalformed = suite !== 'ristretto255' && !isCommitment(suite, commitment);
    return isMalformed ? [{ node: nodes[at] ?? 0, identifier }] : [];
  });

type KeyOf = (keyType: KeyType, path: bigint) => SigningKey;
/** Keeps keys of wallets, which are public and take a millisecond. */
function createKeys(signing: SigningGroup): KeyOf {
  const keys = new LRUCache<string, SigningKey>({ max: MAX_KNOWN_KEYS });
  return (keyType, path) => {
    const name = `${keyType} ${path}`;
    const key = keys.get(name) ?? signingKey(signing[suiteOf(keyType)], keyType, path);
    keys.set(name, key);
    return key;
  };
}

type Ended = { isRefused: boolean; message: string };
/** The answer of a node. The node claims the `path`, or the relayer does, which can make up answers. */
type Opened = Claim & { parameters: GroupParameters; bytes: Uint8Array; path: bigint | null };

/** Sends a statement. Resolves when `onAnswer` returns that the answers are enough, after the last answer, or after the timeout. */
type Exchange = (
  purpose: KeyPurpose,
  ask: AskNodes,
  options: {
    /** Absent for nonces, which no run has yet. */
    runId?: string | undefined;
    onAnswer: (answer: Opened) => boolean;
    timeoutMs?: number;
    /** Returns whether the run fails when the answers are not enough. */
    isMissing: () => boolean;
  },
) => Promise<{ isEnough: boolean; end?: Ended }>;

function createExchange({ group, onWrongAnswer }: SignaturesOptions): Exchange {
  const decode = createDecoder(group);
  return async (purpose, ask, { runId, onAnswer, timeoutMs, isMissing }) => {
    const recipient = await createRecipient();
    const { publicKey } = recipient;
    const fields = { group, purpose, run: runId ?? null, withProof: false, recipient: publicKey };
    const statement = createStatement(fields, Date.now());
    const { promise, resolve } = Promise.withResolvers<{ isEnough: boolean; end?: Ended }>();
    let opening = 0;
    let end: Ended | undefined;
    const settle = (): void => {
      if (end && opening === 0) resolve({ isEnough: false, end });
    };
    const open = async ({ parameters, node, identifier, partial, path }: Answer): Promise<void> => {
      const bytes = await recipient.open(partial, statement.id, identifier);
      if (path !== null && path.length > UINT256_CHARS) throw new RangeError('the path is not a uint256');
      const answer = {
        parameters: decode(parameters),
        node,
        identifier,
        bytes,
        path: path === null ? null : BigInt(path),
      };
      if (onAnswer(answer)) resolve({ isEnough: true });
    };
    const done = ask(
      statement,
      (answer) => {
        opening += 1;
        void open(answer)
          .catch((error: unknown) => onWrongAnswer(answer.identifier, (error as Error).message))
          .finally(() => {
            opening -= 1;
            settle();
          });
      },
      (reason) => {
        end = reason;
        settle();
      },
    );
    const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs, { isEnough: false });
    const result = await promise;
    clearTimeout(timer);
    done(!result.isEnough && isMissing());
    return result;
  };
}

function createNonceSource(suite: 'ed25519' | 'secp256k1', signing: SigningGroup, exchange: Exchange) {
  const pool = createNoncePool(suite, signing, signersOf);
  let refill: Promise<void> | undefined;
  const gather = (ask: AskNodes, onAdded: () => boolean, isMissing: () => boolean) =>
    exchange({ kind: 'nonces', suite, count: MAX_NONCES }, ask, {
      onAnswer(answer) {
        pool.add(answer, Date.now());
        return onAdded();
      },
      isMissing,
    });
  return {
    /** Takes commitments of as many nodes as sign. Rejects with KeyNotReleasedError when too few nodes have one. */
    async choose(ask: AskNodes, excluded: Set<number>): Promise<Chosen> {
      let chosen = pool.take(excluded, false, Date.now());
      let end: Ended | undefined;
      if (!chosen) {
        const take = () => {
          chosen ??= pool.take(excluded, false, Date.now());
          return chosen !== undefined;
        };
        const isMissing = () => {
          chosen ??= pool.take(excluded, true, Date.now());
          return chosen === undefined;
        };
        ({ end } = await gather(ask, take, isMissing));
      } else if (pool.isLow() && !refill) {
        refill = gather(
          ask,
          () => !pool.isLow(),
          () => false,
        )
          .then(
            () => {},
            () => {},
          )
          .finally(() => {
            refill = undefined;
          });
      }
      if (chosen) return chosen;
      throw new KeyNotReleasedError(end?.message ?? 'too few key nodes answer', end?.isRefused ?? false);
    },
    penalise: pool.penalise,
  };
}

/**
 * Returns the function that combines the shares of one set of nodes after another. A signature holds under the key of only one path, for
 * which at least one honest node has given its share: the path of the wallet.
 */
function createAggregation(keyOf: KeyOf, keyType: KeyType, message: Uint8Array) {
  /** The last answer of each node. */
  const named = new Map<number, Claim & { path: bigint }>();
  return ({ parameters, commitments }: Chosen, answers: Map<number, Opened>) => {
    for (const { node, identifier, path } of answers.values())
      named.set(node, { node, identifier, path: path ?? 0n });
    const shares = new Map([...answers].map(([identifier, { bytes }]) => [identifier, bytes]));
    const cheatersFor = new Map<bigint, Claim[]>();
    for (const path of new Set([...answers.values()].map((answer) => answer.path ?? 0n))) {
      const { key, cheaters, signature } = combineAt(path);
      if (signature) {
        const others = [...named.values()].filter((other) => other.path !== path);
        return { signed: { signature, publicKey: key.publicKey }, cheaters: others };
      }
      cheatersFor.set(path, cheaters);
    }
    const votesFor = (path: bigint): number =>
      [...named.values()].filter((each) => each.path === path).length;
    const agreed = [...cheatersFor].find(([path]) => votesFor(path) >= signersOf(parameters));
    return { signed: undefined, cheaters: agreed?.[1] ?? [] };

    function combineAt(path: bigint) {
      const key = keyOf(keyType, path);
      try {
        const signature = aggregate(key, parameters, commitments, message, shares);
        return { key, signature, cheaters: [] };
      } catch (error) {
        if (!(error instanceof FaultError)) throw error;
        return { key, cheaters: error.faults.flatMap(({ identifier }) => answers.get(identifier) ?? []) };
      }
    }
  };
}
