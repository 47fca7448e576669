/** Commitments to nonces of key nodes, which wait for signatures of this connection. Each is used once. */
import {
  type Commitment,
  checkSigningParameters,
  decodeGroupParameters,
  type GroupParameters,
  type SigningSuite,
} from '@latchkey/threshold';
import { z } from 'zod';

/** Less than the lifetime of the nonces at the nodes. */
const LIFETIME_MS = 480_000;
/** A node that does not answer is taken last for this long, or until it answers. */
const SILENT_MS = 10_000;
const DISTRUST_MS = 600_000;
const LOW = 4;

/** Group public keys to sign with, in hexadecimal. */
export type SigningGroup = Record<SigningSuite, string>;

const issued = z.strictObject({
  parameters: z.tuple([z.string(), z.string()]),
  commitments: z.array(z.tuple([z.string(), z.string()])),
});

/** The answer of a node, under the published parameters as the relayer passes them on. */
type Issued = { parameters: GroupParameters; node: number; identifier: number; bytes: Uint8Array };
/** `nodes` are the relayer's numbers of the nodes that gave the commitments. */
export type Chosen = { parameters: GroupParameters; commitments: Commitment[]; nodes: number[] };

/** Nodes are told apart by the relayer's numbers: one that claims the identifier of another does not take its place. */
export type NoncePool = {
  /** Adds the commitments of a node. Throws for an answer that is not under the keys of the group. */
  add: (answer: Issued, nowMs: number) => void;
  /**
   * Takes one commitment of each of as many nodes as sign. Returns undefined when too few nodes have one and, without `isLast`, when
   * some of them are penalised: others may be better.
   */
  take: (excluded: Set<number>, isLast: boolean, nowMs: number) => Chosen | undefined;
  /** Returns whether the next signatures need more commitments. */
  isLow: () => boolean;
  /** Forgets the commitments of a node that does not answer, or has answered wrongly, and takes it last for a time. */
  penalise: (node: number, isLiar: boolean, nowMs: number) => void;
};

/** @param count Returns how many nodes sign. */
export function createNoncePool(
  suite: SigningSuite,
  group: SigningGroup,
  count: (parameters: GroupParameters) => number,
): NoncePool {
  const waiting = new Map<number, { commitment: Commitment; expiresAtMs: number }[]>();
  const penalties = new Map<number, { isLiar: boolean; untilMs: number }>();

  // Commitments of one epoch are of no use in the next one, which has other shares.
  const known = createParameters(suite, group, () => waiting.clear());

  const dropExpired = (nowMs: number): void => {
    // The oldest are first.
    for (const own of waiting.values()) while (own[0] && own[0].expiresAtMs <= nowMs) own.shift();
  };

  return {
    add({ parameters: published, node, identifier, bytes }, nowMs) {
      const { parameters: texts, commitments } = issued.parse(JSON.parse(Buffer.from(bytes).toString()));
      const { nodes } = known.use(published, texts);
      if (!nodes.some((each) => each.identifier === identifier))
        throw new RangeError('the node is not in the group');
      const own = waiting.get(node) ?? [];
      for (const [hiding, binding] of commitments)
        own.push({ commitment: { identifier, hiding, binding }, expiresAtMs: nowMs + LIFETIME_MS });
      waiting.set(node, own);
      if (!penalties.get(node)?.isLiar) penalties.delete(node);
    },
    take(excluded, isLast, nowMs) {
      const parameters = known.last();
      if (!parameters) return undefined;
      const isPenalised = (node: number): number => Number((penalties.get(node)?.untilMs ?? 0) > nowMs);
      dropExpired(nowMs);
      const byIdentifier = new Map<number, number>();
      for (const node of [...waiting.keys()].sort((a, b) => isPenalised(a) - isPenalised(b))) {
        const identifier = waiting.get(node)?.[0]?.commitment.identifier;
        if (identifier === undefined || excluded.has(node) || byIdentifier.has(identifier)) continue;
        if (byIdentifier.size < count(parameters)) byIdentifier.set(identifier, node);
      }
      const nodes = [...byIdentifier].sort(([a], [b]) => a - b).map(([, node]) => node);
      if (nodes.length < count(parameters)) return undefined;
      if (!isLast && nodes.some(isPenalised)) return undefined;
      const commitments = nodes.flatMap((node) => waiting.get(node)?.shift()?.commitment ?? []);
      return { parameters, commitments, nodes };
    },
    isLow: () => [...waiting.values()].some((own) => own.length <= LOW),
    penalise(node, isLiar, nowMs) {
      waiting.delete(node);
      penalties.set(node, { isLiar, untilMs: nowMs + (isLiar ? DISTRUST_MS : SILENT_MS) });
    },
  };
}

/** Keeps the parameters of the last answers. @param onChange Called before others take their place. */
function createParameters(suite: SigningSuite, group: SigningGroup, onChange: () => void) {
  let known: { texts: string; parameters: GroupParameters } | undefined;
  return {
    last: () => known?.parameters,
    /** Throws a RangeError for parameters that are not the published ones, or of another group. */
    use(published: GroupParameters, texts: [string, string]): GroupParameters {
      const name = `${published.signing?.shares} ${texts.join(' ')}`;
      if (known?.texts === name) return known.parameters;
      const signing = texts.map(decodeGroupParameters);
      checkSigningParameters(published, signing);
      const parameters = signing.find((each) => each.suite === suite);
      if (parameters?.groupPublicKey !== group[suite])
        throw new RangeError('the keys to sign with belong to another group');
      onChange();
      known = { texts: name, parameters };
      return parameters;
    },
  };
}
