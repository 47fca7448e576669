/** Releases of a wallet's key by the key nodes, verified. */
import { apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { type Address, bytesToHex, type Hex, hexToBytes, sha256, stringToBytes } from 'viem';
import type { BareClient } from './bare-client.ts';
import { isReading, type ReadingClient, readContract } from './contract.ts';
import { type CallOptions, type Deadline, defaultDeadline } from './deadline.ts';
import { LatchkeyError } from './errors.ts';
import { type GetReplyOf, get } from './http.ts';
import { readCredential } from './proof.ts';

/** Parts of one key that key nodes released together, to one request of a run. */
export interface KeyRelease {
  /** When the first node released its part, by its clock. */
  time: Date;
  /** `wallet`: the keys of the wallet, for a run. `mint-wallet` and `wallet-address`: when the wallet was made. */
  kind: string;
  /** Hash of the usage key of the run. */
  usageKeyHash?: bigint | undefined;
  /** CID of the action that the runner ran. */
  cid?: string | undefined;
  /** Id of the run, as its runner and relayer said. */
  runId?: string | undefined;
  /** Identities of runner and relayer. */
  runner: string;
  relayer: string;
  /** Id of the request. */
  statement: string;
  /** Identities of the nodes that released their part. */
  nodes: string[];
}

/** The signed state of the list of one key node. */
export interface KeyNodeHead {
  /** Identity of the node. */
  node: string;
  /** Releases for the wallet since it was made. */
  count: number;
  /** Number of the oldest one that the node keeps. */
  first: number;
}

/** The entry after which the next page of a node begins, by the node's identity. */
export type KeyReleasesEnd = Record<string, { sequence: number; previous: string }>;

export interface ListKeyReleasesParameters {
  walletAddress: Address;
  /** 1 to 100, per node. Default 100. */
  pageSize?: number | undefined;
  /** Both are in `nextPage` of the page before. */
  before?: string | undefined;
  after?: KeyReleasesEnd | undefined;
}

export interface ListKeyReleasesResult {
  /** Newest first. */
  releases: KeyRelease[];
  nodes: KeyNodeHead[];
  /** Identities of the key nodes that the contract approves and that have not answered. Undefined for a client without a node of the chain. */
  missing?: string[] | undefined;
  nextPage?: ListKeyReleasesParameters | undefined;
}

type WireReleases = GetReplyOf<'/core/v1/key_releases'>;

export interface VerifyKeyReleasesParameters {
  /** `nodes` of `GET /core/v1/key_releases`. */
  nodes: WireReleases['nodes'];
  /** The nonce of the request. */
  nonce: string;
  derivationPath: bigint;
  /** Identities of the nodes that the contract approves. Default: any, so that a relayer can make nodes up. */
  approvedNodes?: readonly string[] | undefined;
  /** `end` of the page before. */
  after?: KeyReleasesEnd | undefined;
}

type Entry = {
  sequence: number;
  previous: string;
  time: number;
  kind: string;
  usageKeyHash: Hex | null;
  cid: string | null;
  run: string | null;
  statement: string;
  runner: string;
  relayer: string;
};
type Head = { node: string; path: Hex; nonce: string; sequence: number; hash: string; first: number };

const invalid = (node: string, reason: string): LatchkeyError =>
  new LatchkeyError('unverified_releases', `the list of key node ${node} ${reason}`);
const hashOf = (text: string): string => sha256(stringToBytes(text)).slice(2);

async function isSigned({ head, signature }: { head: string; signature: string }, node: string) {
  const key = await crypto.subtle.importKey('raw', bytesOf(node), 'Ed25519', false, ['verify']);
  const message = new Uint8Array(stringToBytes(`latchkey/release-head/v1\0${head}`));
  return crypto.subtle.verify('Ed25519', key, bytesOf(signature), message);
}
const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(hexToBytes(`0x${hex}`));

/** Returns the entries of one node, which follow each other without a gap. Throws otherwise. */
async function verifyNode(
  { entries: texts, ...signed }: WireReleases['nodes'][number],
  { nonce, derivationPath, approvedNodes, after }: Omit<VerifyKeyReleasesParameters, 'nodes'>,
): Promise<{ head: Head; entries: Entry[]; end: KeyReleasesEnd[string] | undefined }> {
  const head: Head = JSON.parse(signed.head);
  const { node } = head;
  if (approvedNodes && !approvedNodes.includes(node)) throw invalid(node, 'is not of an approved node');
  if (!(await isSigned(signed, node))) throw invalid(node, 'is not signed');
  if (head.nonce !== nonce || BigInt(head.path) !== derivationPath)
    throw invalid(node, 'is an old one, or of another wallet');
  let next = after ? after[node] : { sequence: head.sequence + 1, previous: head.hash };
  if (!next) throw invalid(node, 'has no page before this one');
  const entries: Entry[] = [];
  for (const text of texts) {
    const entry: Entry = JSON.parse(text);
    if (hashOf(text) !== next.previous || entry.sequence !== next.sequence - 1)
      throw invalid(node, `leaves out or changes entry ${next.sequence - 1}`);
    next = { sequence: entry.sequence, previous: entry.previous };
    entries.push(entry);
  }
  const isEnd = next.sequence <= head.first;
  if (entries.length === 0 && !isEnd) throw invalid(node, `leaves out entry ${next.sequence - 1}`);
  return { head, entries, end: isEnd ? undefined : next };
}

/**
 * Verifies a page of lists of key nodes, and merges them. Rejects with `unverified_releases` when an entry of a node was left out or
 * changed. The relayer can leave out a whole node: each release is at as many nodes as derive a key.
 */
export async function verifyKeyReleases({ nodes, ...of }: VerifyKeyReleasesParameters): Promise<{
  releases: KeyRelease[];
  nodes: KeyNodeHead[];
  end: KeyReleasesEnd | undefined;
}> {
  const merged = new Map<string, KeyRelease>();
  const heads: KeyNodeHead[] = [];
  const end: KeyReleasesEnd = {};
  for (const list of nodes) {
    const verified = await verifyNode(list, of).catch((error: unknown) => {
      if (error instanceof LatchkeyError) throw error;
      throw new LatchkeyError('unverified_releases', 'malformed list of a key node', { cause: error });
    });
    const { node, sequence: count, first } = verified.head;
    if (heads.some((head) => head.node === node)) throw invalid(node, 'is there twice');
    heads.push({ node, count, first });
    if (verified.end) end[node] = verified.end;
    for (const entry of verified.entries) addTo(merged, entry, node);
  }
  const releases = [...merged.values()].sort((a, b) => b.time.getTime() - a.time.getTime());
  return { releases, nodes: heads, end: Object.keys(end).length === 0 ? undefined : end };
}

/** Nodes that contradict each other about a request stay apart. */
function addTo(merged: Map<string, KeyRelease>, entry: Entry, node: string): void {
  const { time, kind, usageKeyHash, cid, run, statement, runner, relayer } = entry;
  const name = JSON.stringify([kind, usageKeyHash, cid, run, statement, runner, relayer]);
  const known = merged.get(name);
  if (known) {
    known.nodes.push(node);
    if (time < known.time.getTime()) known.time = new Date(time);
    return;
  }
  merged.set(name, {
    time: new Date(time),
    kind,
    statement,
    runner,
    relayer,
    nodes: [node],
    usageKeyHash: usageKeyHash === null ? undefined : BigInt(usageKeyHash),
    cid: cid ?? undefined,
    runId: run ?? undefined,
  });
}

/** Rejects unless the contract has the wallet at this path: a relayer could send the list of another wallet. */
async function requirePath(
  client: ReadingClient,
  wallet: Address,
  path: bigint,
  deadline: Deadline,
): Promise<void> {
  const account =
    client.mode === 'api'
      ? apiKeyHash(client.internals.apiKey() ?? '')
      : walletIdentity(client.internals.wallet.account.address);
  if ((await readContract(client, 'getWalletDerivation', [account, wallet], deadline)) !== path)
    throw new LatchkeyError('unverified_releases', 'the relayer lists the releases of another wallet');
}

/** Returns the identities in the text of the node configuration `approved-key-nodes`. */
function readApproved(text: string): string[] {
  const [, , ...keys] = text.split(';');
  return keys.map((key) => {
    const binary = atob(key.replaceAll('-', '+').replaceAll('_', '/'));
    return bytesToHex(Uint8Array.from(binary, (character) => character.charCodeAt(0))).slice(2);
  });
}

/**
 * Returns what the key nodes released for a wallet of the account, newest first, for the account key or the admin wallet. A client with
 * a node of the chain accepts only the nodes that the contract approves. Rejects with `unverified_releases` when the relayer left out or
 * changed an entry of a node.
 */
export async function listKeyReleases(
  client: BareClient,
  { walletAddress, pageSize = 100, before, after }: ListKeyReleasesParameters,
  options?: CallOptions,
): Promise<ListKeyReleasesResult> {
  const deadline = defaultDeadline(client, options);
  const nonce = bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2);
  const approvedNodes = isReading(client)
    ? readApproved(await readContract(client, 'nodeConfigurationValue', ['approved-key-nodes'], deadline))
    : undefined;
  const { json } = await get(client, '/core/v1/key_releases', {
    query: { wallet: walletAddress, nonce, page_size: pageSize, ...(before !== undefined && { before }) },
    ...(await readCredential(client, deadline)),
    deadline,
  });
  const derivationPath = BigInt(json.derivation_path);
  if (isReading(client)) await requirePath(client, walletAddress, derivationPath, deadline);
  const { releases, nodes, end } = await verifyKeyReleases({
    nodes: json.nodes,
    nonce,
    derivationPath,
    approvedNodes,
    after,
  });
  if (end && json.before === null)
    throw new LatchkeyError('unverified_releases', 'the relayer leaves out the next page');
  const answered = new Set(nodes.map(({ node }) => node));
  return {
    releases,
    nodes,
    missing: approvedNodes?.filter((node) => !answered.has(node) && (!after || node in after)),
    nextPage: end && { walletAddress, pageSize, before: json.before ?? undefined, after: end },
  };
}
