/**
 * Eleven nodes with t = 3, of which three work. The others have wrong clocks, a stale endpoint, no answer, late answers, or an attacker, who
 * also has the identities of a runner and a relayer, and asks all nodes all the time.
 */
import { randomBytes } from 'node:crypto';
import { createIdentity, type KeyPurpose } from '@latchkey/key-protocol';
import { until } from '@latchkey/testing/until';
import { type Address, numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import type { HeldShare } from '../src/node-store.ts';
import { generateGroup, relayer, runner } from '../src/testing.ts';
import { cids, openAccounts, type Victim } from './accounts.ts';
import { startEndpoint } from './endpoints.ts';
import { startCorrupt, startSkewed, startSlow, startStuck } from './faulty-nodes.ts';
import { type Deployed, startDeployed, startNode } from './key-nodes.ts';
import {
  type Part,
  type Parties,
  prepareQuestion,
  signingKeyOf,
  walletOf,
  walletPurpose,
} from './questions.ts';

const THRESHOLD = 3;
const MAX_BLOCK_AGE_SEC = 6;
/** Timeout for answers that are not needed. */
const DEADLINE_MS = 1_500;
const SLOW_MS = 2_000;
/** Timeout for answers that are needed, long because the machine can be busy. */
const PATIENT_MS = 20_000;
/** Time for six runs beside attacks by eleven nodes, on a busy machine. */
const BUSY_MS = 180_000;
const known = { runner, relayer };
const unknown = createIdentity(randomBytes(32).toString('hex'));
const [stale, corrupt, liar, stuck] = [6, 7, 8, 9];

type Url = { url: string };
type Asked = { purpose: KeyPurpose; parties: Parties };
/** A part that a node gave, and when it was asked. */
type Found = { askedAtMs: number; identifier: number };

const held = generateGroup(THRESHOLD, 11);
const heldBy = (identifier: number): HeldShare => held[identifier - 1] as HeldShare;
const published = heldBy(1).parameters;
const settings = {
  MAX_BLOCK_AGE_SEC: String(MAX_BLOCK_AGE_SEC),
  RUNNER_KEYS: runner.publicKey,
  RELAYER_KEYS: relayer.publicKey,
  BAD_POSTS_PER_MINUTE: '1000000',
};

/** Starts the nodes 1 to 11. The last one is dead. */
async function startNodes(deployed: Deployed, staleUrl: string, paths: bigint[]): Promise<Url[]> {
  const startHonest = async (identifier: number, more: Record<string, string> = {}): Promise<Url> => {
    const node = await startNode(deployed, { ...settings, ...more });
    onTestFinished(() => node[Symbol.asyncDispose]());
    await node.context.store.change(() => ({ current: heldBy(identifier) }));
    return node;
  };
  const wrong = generateGroup(THRESHOLD, 1)[0]?.secret ?? '';
  return Promise.all([
    ...[1, 2, 3].map((identifier) => startHonest(identifier)),
    startSkewed(deployed, heldBy(4), settings, 30_000),
    startSkewed(deployed, heldBy(5), settings, -30_000),
    startHonest(stale, { RPC_URL: staleUrl }),
    startCorrupt(heldBy(corrupt), paths, [corrupt]),
    startCorrupt({ ...heldBy(liar), secret: wrong }, paths, [liar, 1, 2]),
    startStuck(),
    startHonest(10).then((node) => startSlow(node, SLOW_MS)),
    startNode(deployed).then(async (node) => {
      await node[Symbol.asyncDispose]();
      return node;
    }),
  ]);
}

/** Asks all nodes as a run does, until t answers hold. Resolves to its wallet, undefined when too few answer in time. */
async function run(nodes: Url[], purpose: KeyPurpose, timeoutMs: number): Promise<Address | undefined> {
  const question = await prepareQuestion(published, purpose, known);
  const parts: Part[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();

  const ended = new AbortController();
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ended.signal]);
  const asked = nodes.map(async (node) => {
    const part = await question.ask(node, signal).catch(() => undefined);
    if (part) parts.push(part);
    if (signingKeyOf(published, parts)) resolve();
  });
  await Promise.race([promise, Promise.all(asked)]);
  ended.abort();
  const key = signingKeyOf(published, parts);
  return key && privateKeyToAddress(key);
}

/** Asks all nodes twice with one request. Resolves to the parts that hold. */
async function askTwice(nodes: Url[], { purpose, parties }: Asked, timeoutMs: number): Promise<Found[]> {
  const askedAtMs = Date.now();
  const question = await prepareQuestion(published, purpose, parties);
  const ask = async (node: Url): Promise<Found[]> => {
    const part = await question.ask(node, AbortSignal.timeout(timeoutMs)).catch(() => undefined);
    return part ? [{ askedAtMs, identifier: part.partial.identifier }] : [];
  };
  return (await Promise.all([...nodes, ...nodes].map(ask))).flat();
}

/** Asks all questions until the signal. */
async function attack(nodes: Url[], questions: Asked[], signal: AbortSignal): Promise<Found[]> {
  const found: Found[] = [];
  while (!signal.aborted)
    for (const question of questions) found.push(...(await askTwice(nodes, question, DEADLINE_MS)));
  return found;
}

const identifiersOf = (found: Found[]): number[] =>
  [...new Set(found.map(({ identifier }) => identifier))].sort((a, b) => a - b);

/** Questions that the contract never permits, and permitted ones of parties that the nodes do not know. */
function forbidden(victim: Victim, other: Victim): Asked[] {
  const { usageKey, wallet, path } = victim;
  const own = BigInt(generatePrivateKey());
  const of = (purpose: KeyPurpose, parties: Partial<Parties> = {}): Asked => ({
    purpose,
    parties: { ...known, ...parties },
  });
  return [
    of(walletPurpose(own, cids.export, wallet, 'export')),
    of(walletPurpose(usageKey, cids.export, wallet, 'export')),
    of(walletPurpose(other.usageKey, cids.sign, wallet)),
    of({ kind: 'mint-wallet', path: numberToHex(path) }),
    of(walletPurpose(usageKey, cids.sign, wallet), { runner: unknown }),
    of(walletPurpose(usageKey, cids.sign, wallet), { relayer: unknown }),
  ];
}

const signing = ({ usageKey, wallet }: Victim): KeyPurpose => walletPurpose(usageKey, cids.sign, wallet);
const statusesOf = (nodes: Url[]): Promise<string[]> =>
  Promise.all(
    nodes.map(
      async ({ url }) => ((await (await fetch(`${url}/health`)).json()) as { status: string }).status,
    ),
  );

test('with all faults together, runs of a permitted key get the right key, and no run of a revoked one gets any', async () => {
  await using deployed = await startDeployed();
  const { client, write, newVictim } = openAccounts(deployed);
  await deployed.configuration().write('key-nodes', published);
  const derive = async (path: bigint): Promise<Address> => walletOf(held.slice(0, THRESHOLD), path);
  const kept = await newVictim('ChainSecured', derive);
  const revoked = await newVictim('ChainSecured', derive);
  await client.setIntervalMining({ interval: 1 });

  const endpoint = await startEndpoint(deployed.rpcUrl, false);
  const nodes = await startNodes(deployed, endpoint.url, [kept.path, revoked.path]);

  await until('the nodes with wrong clocks have started', () => statusesOf(nodes.slice(3, 5)));
  const ofRevoked: Asked = { purpose: signing(revoked), parties: known };
  const answering = nodes.filter((_, i) => i + 1 !== stuck);
  await until('the other nodes answer', async () => {
    const found = await askTwice(answering, ofRevoked, PATIENT_MS);
    return identifiersOf(found).join() === '1,2,3,6,7,10';
  });

  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const runs: (Address | undefined)[] = [];
  const running = (async () => {
    while (!ended.signal.aborted) runs.push(await run(nodes, signing(kept), PATIENT_MS));
  })();
  const attacks = [forbidden(kept, revoked), [ofRevoked]].map((questions) =>
    attack(nodes, questions, ended.signal),
  );
  await until('runs succeed beside attacks', async () => runs.length > 5, BUSY_MS);
  expect(await run(nodes, signing(revoked), PATIENT_MS)).toBe(revoked.wallet);

  endpoint.frozen = await client.getBlock();
  await write(revoked.key, 'removeUsageApiKey', [revoked.master, revoked.usageKey]);
  const revokedAtMs = Date.now();
  const runsBefore = runs.length;
  const runsOfRevoked: (Address | undefined)[] = [];
  await until('the stale node knows that it is behind', async () => {
    runsOfRevoked.push(await run(nodes, signing(revoked), DEADLINE_MS));
    return Date.now() - revokedAtMs > 1_500 * MAX_BLOCK_AGE_SEC;
  });
  ended.abort();
  await running;
  const [foundForbidden = [], foundRevoked = []] = await Promise.all(attacks);
  const since = (sec: number) =>
    foundRevoked.filter(({ askedAtMs }) => askedAtMs > revokedAtMs + 1_000 * sec);

  expect(new Set(runs)).toEqual(new Set([kept.wallet]));
  expect(runs.length).toBeGreaterThan(runsBefore + 2);
  expect(new Set(runsOfRevoked)).toEqual(new Set([undefined]));
  expect(identifiersOf(foundForbidden)).toEqual([corrupt]);
  expect([stale, corrupt]).toEqual(expect.arrayContaining(identifiersOf(since(0))));
  expect(identifiersOf(since(MAX_BLOCK_AGE_SEC))).toEqual([corrupt]);
  expect(await statusesOf(nodes.slice(0, stale))).toEqual(['ok', 'ok', 'ok', 'behind', 'behind', 'behind']);
}, 400_000);
