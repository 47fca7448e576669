/** Passes requests for keys from runners to the key nodes. Their answers are encrypted to the runner. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  cosign,
  type Identity,
  type KeyPurpose,
  type KeyStatement,
  type SignedStatement,
} from '@latchkey/key-protocol';
import { UnhealthyError } from '@latchkey/service/health';
import { sharedFor } from '@latchkey/service/shared-for';
import { inPresentTrace, inSpan, traceHeaders } from '@latchkey/service/tracing';
import { protocolHeader, protocols } from '@latchkey/service/versions';
import { decodeGroupParameters, type GroupParameters } from '@latchkey/threshold/parameters';
import type { Logger } from 'pino';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { askHealth, type NodeWait, refusal } from './node-health.ts';

/** Time for the answers of all nodes to one statement, so that a waiting run is answered within two seconds. */
const DEADLINE_MS = 1_500;
/** Interval at which one more node is asked while the runner does not have the key. */
const SPARE_MS = 60;
/** A node that gave a wrong answer is asked last for this long. */
const DISTRUST_MS = 600_000;
const MAX_REPLY_BYTES = 16 * 1024;
const HEALTH_LIFETIME_MS = 1_000;

const release = z.object({
  identifier: z.int().positive(),
  epoch: z.int().positive(),
  partial: z.base64(),
  path: z
    .string()
    .regex(/^0x[0-9a-f]+$/)
    .nullable(),
});

export type NodeAnswer = Omit<z.infer<typeof release>, 'epoch'> & {
  /** Position in KEY_NODES, from 1: a node can claim the identifier of another one. */
  node: number;
  /** Canonical text of the parameters of the group. */
  parameters: string;
};

/** The reason why no further node answers. `isRefused`: so many nodes refuse that the others are too few. */
export type NodesEnd = { isRefused: boolean; message: string };

/** The requests of one run or mint. `onAnswer` is called per answer; `signal` ends the request. */
export type AskNodes = (
  signed: SignedStatement,
  onAnswer: (answer: NodeAnswer) => void,
  signal: AbortSignal,
) => Promise<NodesEnd>;

export type KeyNodes = {
  /** Returns the function with which one run or mint asks nodes that have this block, for its own statements only. */
  askFor: (isOwn: (statement: KeyStatement) => boolean, minBlock: bigint) => AskNodes;
  /** Asks the nodes with this identifier last for ten minutes. Call when a runner found an answer of theirs to be wrong. */
  distrust: (identifier: number) => void;
  /** Rejects with an UnhealthyError when too few nodes are healthy. */
  ping: () => Promise<void>;
  /** Resolves to the public keys of the published group, in the order of KEY_GROUP. */
  publicKeys: () => Promise<string[]>;
  /** Resolves to the nodes that wait before they deal in a group that the contract has approved recently. */
  waiting: () => Promise<WaitingNode[]>;
};

type WaitingNode = NodeWait & { node: number };

type Node = {
  url: string;
  position: number;
  failures: number;
  /** The identifier that the node claims. */
  identifier?: number;
  distrustedUntilMs: number;
};

/** Counts a request to one node, by its position in KEY_NODES from 1. A wrong answer is counted as `answered` too. */
export type CountRequest = (node: number, result: 'answered' | 'refused' | 'failed' | 'wrong') => void;

export type KeyNodesOptions = {
  urls: string[];
  identity: Identity;
  /** Returns the parameters that the contract publishes. */
  readParameters: () => Promise<string>;
  count: CountRequest;
  log: Logger;
};

export function createKeyNodes(options: KeyNodesOptions): KeyNodes {
  const { urls, readParameters, count, log } = options;
  const nodes: Node[] = urls.map((url, i) => ({ url, position: i + 1, failures: 0, distrustedUntilMs: 0 }));
  const published = createPublished(readParameters);
  const healths = sharedFor(HEALTH_LIFETIME_MS, () =>
    Promise.all(urls.map((url) => askHealth(url).catch(() => undefined))),
  );
  // undici's `request` takes a third of the processor time of `fetch`.
  const dispatcher = new Agent({ maxResponseSize: MAX_REPLY_BYTES });

  return {
    askFor: (isOwn, minBlock) =>
      inPresentTrace(async (signed, onAnswer, signal) => {
        if (!isOwn(signed.statement))
          return { isRefused: true, message: 'the runner asked for the key of another run' };
        return askAll({ ...options, nodes, published, dispatcher }, { signed, minBlock, onAnswer, signal });
      }),
    distrust(identifier) {
      // Several, because a node can claim the identifier of another one.
      for (const node of nodes.filter((each) => each.identifier === identifier)) {
        node.distrustedUntilMs = Date.now() + DISTRUST_MS;
        count(node.position, 'wrong');
        log.error(
          { node: node.url, identifier },
          'a key node gave an answer that does not hold: it is asked last for ten minutes',
        );
      }
    },
    async ping() {
      const [{ group }, found] = await Promise.all([published(), healths()]);
      const faulty = found.flatMap((health, i) => {
        const fault = health ? health.fault : 'does not answer';
        return fault === undefined ? [] : [`node ${i + 1} ${fault}`];
      });
      const working = urls.length - faulty.length;
      if (working < group.threshold)
        throw new UnhealthyError(
          `${working} of ${urls.length} key nodes work, ${group.threshold} are needed: ${faulty.join(', ')}`,
        );
    },
    async publicKeys() {
      const { groupPublicKey, signing } = (await published()).group;
      return [groupPublicKey, ...(signing ? [signing.ed25519, signing.secp256k1] : [])];
    },
    waiting: async () =>
      (await healths()).flatMap((health, i) =>
        health?.waits === undefined ? [] : [{ node: i + 1, ...health.waits }],
      ),
  };
}

type Asking = Pick<KeyNodesOptions, 'identity' | 'count' | 'log'> & {
  nodes: Node[];
  published: (epoch?: number) => Promise<Published>;
  dispatcher: Dispatcher;
};
type Question = {
  signed: SignedStatement;
  minBlock: bigint;
  onAnswer: (answer: NodeAnswer) => void;
  signal: AbortSignal;
};

/** Asks as many nodes as are needed, and more while some do not answer. */
async function askAll(
  { nodes, published, dispatcher, identity, count, log }: Asking,
  { signed, minBlock, onAnswer, signal }: Question,
): Promise<NodesEnd> {
  const { group } = await published();
  const body = JSON.stringify(cosign(signed, Number(minBlock), identity));
  const nowMs = Date.now();
  const isDistrusted = (node: Node): number => Number(node.distrustedUntilMs > nowMs);
  const signers = signersOf(signed.statement.purpose);
  const waiting = nodes
    .filter(({ identifier }) => !signers || identifier === undefined || signers.includes(identifier))
    .sort((a, b) => isDistrusted(a) - isDistrusted(b) || a.failures - b.failures);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  const refusals: string[] = [];
  let answered = 0;
  /** Returns true when so many nodes refuse that the others are too few. */
  const isRefused = (): boolean => refusals.length > nodes.length - group.threshold;

  /** Asks a node, and the next one when it does not answer. */
  const askNext = async (): Promise<void> => {
    const node = waiting.shift();
    if (!node || deadline.aborted) return;
    try {
      const answer = await inSpan(
        'ask a key node',
        () => askNode(node.url, body, { signal: deadline, dispatcher }),
        { kind: 'CLIENT', attributes: { node: node.position } },
      );
      node.failures = 0;
      answered += 1;
      count(node.position, 'message' in answer ? 'refused' : 'answered');
      if ('message' in answer) refusals.push(answer.message);
      else {
        const { epoch, ...part } = answer;
        node.identifier = part.identifier;
        return onAnswer({ ...part, node: node.position, parameters: (await published(epoch)).parameters });
      }
    } catch (err) {
      if (signal.aborted) return;
      node.failures += 1;
      count(node.position, 'failed');
      log.warn({ err, node: node.url }, 'a key node did not answer');
    }
    if (!isRefused()) await askNext();
  };
  const asked = Array.from({ length: signers ? waiting.length : group.threshold }, askNext);
  // Further nodes make up for slow nodes, and for wrong answers, which only the runner recognises.
  while (waiting.length > 0 && !isRefused()) {
    await delay(SPARE_MS, undefined, { signal: deadline }).catch(() => {});
    if (deadline.aborted) break;
    asked.push(askNext());
  }
  await Promise.all(asked);
  const message = isRefused() ? refusals[0] : outageText(answered, nodes.length, group.threshold);
  return { isRefused: isRefused(), message: message ?? '' };
}

/** Returns the identifiers of the nodes whose nonces a signature uses; undefined for a purpose that any nodes can serve. */
const signersOf = (purpose: KeyPurpose): number[] | undefined =>
  purpose.kind === 'sign' ? purpose.commitments.map(({ identifier }) => identifier) : undefined;

type Published = { parameters: string; group: GroupParameters };

/** Keeps the published parameters until another epoch is asked for, because nodes answer in the present epoch. */
function createPublished(readParameters: () => Promise<string>): (epoch?: number) => Promise<Published> {
  const read = async (): Promise<Published> => {
    const parameters = await readParameters();
    return { parameters, group: decodeGroupParameters(parameters) };
  };
  let known: Published | undefined;
  return async (epoch) => {
    if (!known || (epoch !== undefined && known.group.epoch !== epoch)) known = await read();
    return known;
  };
}

/** Returns a public text that names no node. */
const outageText = (answered: number, nodes: number, threshold: number): string =>
  answered >= threshold
    ? 'the answers of the key nodes do not give the key'
    : `${answered} of ${nodes} key nodes ${answered === 1 ? 'answers' : 'answer'}, ${threshold} ${threshold === 1 ? 'is' : 'are'} needed`;

/** Resolves to the answer, or to the message of a refusal. Rejects when the node cannot answer. */
async function askNode(
  url: string,
  body: string,
  { signal, dispatcher }: { signal: AbortSignal; dispatcher: Dispatcher },
): Promise<z.infer<typeof release> | z.infer<typeof refusal>> {
  const response = await request(`${url}/v1/release`, {
    method: 'POST',
    dispatcher,
    headers: {
      'content-type': 'application/json',
      ...protocolHeader(protocols.keyNode),
      ...traceHeaders(),
    },
    body,
    signal,
  });
  const reply: unknown = await response.body.json();
  if (response.statusCode === 403) return refusal.parse(reply);
  if (response.statusCode !== 200) {
    const { data } = refusal.safeParse(reply);
    throw new Error(`status ${response.statusCode}: ${data?.message ?? 'without a message'}`);
  }
  return release.parse(reply);
}
