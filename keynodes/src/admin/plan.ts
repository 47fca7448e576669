/** Chooses the dealing that a command starts or continues, from the replies of the nodes and the contract. */
import { randomBytes } from 'node:crypto';
import { type Participant, sessionOf } from '@latchkey/key-protocol';
import {
  checkSigningParameters,
  type DealingSetup,
  decodeGroupParameters,
  decodeJointSetup,
  encodeJointSetup,
  type GroupParameters,
  jointGeneration,
  jointRefresh,
  jointResharing,
} from '@latchkey/threshold';
import { hexToBytes } from 'viem';
import type { DealingView } from '../dealing/view.ts';
import { CommandError } from './errors.ts';
import type { NodeClient } from './node-client.ts';

export type Seen = { client: NodeClient; view: DealingView };
export type Kind = DealingSetup['kind'];

type Place = Seen & { dealer: number | null; receiver: number | null };

/** The published parameters, and the parameters of the keys to sign with. */
type Previous = [GroupParameters, ...GroupParameters[]];
export type Plan = { kind: Kind; threshold: number; previous: Previous | null; places: Place[] };

export type Wanted = {
  kind: Kind;
  /** Nodes of the new group. */
  nodes: Seen[];
  /** Further nodes of the published group. */
  from: Seen[];
  /** Ignored by a refresh, which keeps it. */
  threshold: number;
  /** Text of the published group, empty without one. */
  published: string;
};

/** Returns the wanted dealing. Throws a CommandError when it is impossible with these nodes. */
export function makePlan(wanted: Wanted): Plan {
  const { kind, nodes, from, threshold, published } = wanted;
  checkDistinct([...nodes, ...from]);
  if (kind === 'generation') {
    if (published !== '')
      throw new CommandError('the contract publishes a group already: refresh or reshare it');
    const places = nodes.map((node, i) => ({ ...node, dealer: i + 1, receiver: i + 1 }));
    return { kind, threshold, previous: null, places };
  }
  if (published === '') throw new CommandError('the contract publishes no group: generate one first');
  const previous = previousOf([...nodes, ...from], published);
  return kind === 'refresh'
    ? planRefresh(nodes, previous, published)
    : planResharing(wanted, previous, published);
}

/** Takes the parameters of the keys to sign with from any node of the group, and checks them against the hash on the contract. */
function previousOf(nodes: Seen[], published: string): Previous {
  const group = decodeGroupParameters(published);
  for (const { view } of nodes) {
    const held = [view.current, view.next].find((share) => share?.parameters === published);
    if (!held) continue;
    try {
      const signing = held.signing.map(decodeGroupParameters);
      checkSigningParameters(group, signing);
      return [group, ...signing];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  throw new CommandError('no node has the parameters of the published group: start its nodes');
}

function planRefresh(nodes: Seen[], previous: Previous, published: string): Plan {
  const [group] = previous;
  const places = nodes.map((node): Place => {
    const own = identifierOf(node, published);
    if (own === null) throw new CommandError(`${node.client.url} has no share of the published group`);
    return { ...node, dealer: own, receiver: own };
  });
  const absent = group.nodes.filter(({ identifier }) => !places.some(({ dealer }) => dealer === identifier));
  if (absent.length > 0) {
    const identifiers = absent.map(({ identifier }) => identifier).join(', ');
    throw new CommandError(
      `a refresh needs all nodes of the group: add node ${identifiers} to --nodes, or reshare without it`,
    );
  }
  return { kind: 'refresh', threshold: group.threshold, previous, places: sorted(places) };
}

function planResharing({ nodes, from, threshold }: Wanted, previous: Previous, published: string): Plan {
  const [group] = previous;
  let last = Math.max(...group.nodes.map(({ identifier }) => identifier));
  const staying = nodes.map((node): Place => {
    const own = identifierOf(node, published);
    return { ...node, dealer: own, receiver: own ?? ++last };
  });
  const leaving = from.flatMap((node): Place[] => {
    const own = identifierOf(node, published);
    return own === null ? [] : [{ ...node, dealer: own, receiver: null }];
  });
  const places = sorted([...staying, ...leaving]);
  const dealers = places.filter(({ dealer }) => dealer !== null).length;
  if (dealers < group.threshold)
    throw new CommandError(
      `${dealers} nodes of the published group answer, ${group.threshold} must: start more, or add them to --nodes or --from`,
    );
  if (last > 255) throw new CommandError('no identifiers are left for new nodes');
  return { kind: 'resharing', threshold, previous, places };
}

const sorted = (places: Place[]): Place[] =>
  places.sort((a, b) => (a.receiver ?? 256) - (b.receiver ?? 256) || (a.dealer ?? 0) - (b.dealer ?? 0));

/** Returns the identifier of a node in a group, null when it has no share of it. */
const identifierOf = ({ view: { current, next } }: Seen, group: string): number | null =>
  [current, next].find((held) => held?.parameters === group)?.identifier ?? null;

function checkDistinct(nodes: Seen[]): void {
  const byKey = new Map<string, string>();
  for (const { client, view } of nodes) {
    const other = byKey.get(view.public_key);
    if (other !== undefined) throw new CommandError(`${other} and ${client.url} are one node`);
    byKey.set(view.public_key, client.url);
  }
}

/** A dealing that all its nodes are asked to take part in. */
export type Proposal = { nonce: string; setup: string; participants: Participant[] };

export const newNonce = (): string => randomBytes(32).toString('hex');

/** @param joined Keys of the nodes for this dealing, in the order of the places. */
export function makeProposal(plan: Plan, nonce: string, joined: DealingView[]): Proposal {
  const participants = plan.places.map(({ client, dealer, receiver, view }, i): Participant => {
    const invitation = joined[i]?.dealing?.invitation;
    if (invitation?.identity !== view.public_key)
      throw new CommandError(`${client.url} has another identity than before: repeat the command`);
    return { dealer, receiver, ...invitation };
  });
  return { nonce, setup: setupHex(plan, sessionOf(nonce, participants)), participants };
}

function setupHex({ kind, threshold, previous, places }: Plan, session: string): string {
  const identifiers = (role: 'dealer' | 'receiver') =>
    places.flatMap((place) => place[role] ?? []).sort((a, b) => a - b);
  const [dealers, receivers] = [identifiers('dealer'), identifiers('receiver')];
  const setup = () => {
    if (!previous) return jointGeneration(session, { threshold, nodes: receivers });
    return kind === 'refresh'
      ? jointRefresh(session, previous)
      : jointResharing(session, previous, { dealers, receivers, threshold });
  };
  try {
    return Buffer.from(encodeJointSetup(setup())).toString('hex');
  } catch (error) {
    throw new CommandError(`this group is not possible: ${error instanceof Error ? error.message : error}`);
  }
}

/** Throws a CommandError when no group can have these nodes and this threshold. */
export const checkPlan = (plan: Plan): string => setupHex(plan, '00'.repeat(32));

/** The setup of the key of evaluations. The setups of the other keys differ in the suite and its previous parameters. */
export const setupOf = (hex: string): DealingSetup => decodeJointSetup(hexToBytes(`0x${hex}`))[0];
