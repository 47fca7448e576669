import {
  cosign,
  createIdentity,
  createRecipient,
  createStatement,
  type KeyPurpose,
  type KeyRequest,
  MAX_SKEW_MS,
  type Recipient,
  signStatement,
} from '@latchkey/key-protocol';
import { cidHash } from '@latchkey/protocol';
import {
  combine,
  decodeGroupParameters,
  deriveWalletKeys,
  type KeyRequest as Evaluation,
  encodeInput,
  verifyPartial,
} from '@latchkey/threshold';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { NodeState } from './node-store.ts';
import { createPermissions } from './permissions.ts';
import { createReleaseLimits } from './release-limits.ts';
import { createReleases, type Release } from './releases.ts';
import { createSeenRequests } from './seen-requests.ts';
import { createShares } from './shares.ts';
import { createSigning } from './signing.ts';
import { chainOf, generateGroup, relayer, requestFor, runner } from './testing.ts';

const held = generateGroup(2, 3);
const published = held[0]?.parameters ?? '';
const parameters = decodeGroupParameters(published);
const group = parameters.groupPublicKey;
const ADDRESS = '192.0.2.1';
const WALLET = `0x${'12'.repeat(20)}` as const;
const CID = 'QmTestCid';
const PUBLIC_KEY = '02'.repeat(33);
const wallet: KeyPurpose = {
  kind: 'wallet',
  usageKeyHash: '0x1f',
  cid: CID,
  wallet: WALLET,
  use: 'inside',
};
const PATH = 77n;
const permitting = {
  nodeConfigurationValue: () => published,
  canUseWalletInAction: () => true,
  getWalletDerivation: () => PATH,
  canExecuteAction: () => true,
  isPathRegistered: () => false,
};
const startedAtMs = Date.now() - 60_000;

/** Starts a node of the group; `counts` and `lines` are its metrics and its audit log. */
function startNode(
  number: number,
  views: Record<string, (...args: never[]) => unknown> = permitting,
  block = 10n,
  startedAt = startedAtMs,
  limits = { perKey: 100, perWallet: 100, perRunner: 100 },
) {
  let state: NodeState = { identity: '', current: held[number - 1] ?? null, next: null, dealing: null };
  const change = async (members: (state: NodeState) => Partial<NodeState>) => {
    state = { ...state, ...members(state) };
  };
  const counts: string[] = [];
  const lines: string[] = [];
  /** Statements and blocks of logged releases. */
  const logged: [string, bigint][] = [];
  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure = error;
  };
  /** Addresses of requests that no known party has signed. */
  const unknown: string[] = [];
  const release = createReleases({
    permissions: createPermissions({ decide: chainOf(views, block), heads: undefined, maxAgeSec: 15 }),
    shares: createShares({ read: () => state, change }),
    seen: createSeenRequests(startedAt),
    limits: createReleaseLimits(limits),
    releaseLog: {
      append(request, { block }) {
        if (failure) throw failure;
        logged.push([request.statement.id, block]);
      },
    },
    signing: createSigning(),
    runners: [runner.publicKey],
    relayers: [relayer.publicKey],
    log: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
    countUnknown: (ip) => unknown.push(ip),
    count: (kind, result) => counts.push(`${kind} ${result}`),
  });
  return {
    release: (request: KeyRequest) => release(request, ADDRESS),
    counts,
    lines,
    unknown,
    logged,
    fail,
  };
}

/** Opens, verifies and combines the answers to one statement. */
async function combined(recipient: Recipient, id: string, releases: Release[], evaluation: Evaluation) {
  const input = encodeInput(evaluation);
  const partials = await Promise.all(
    releases.map(async ({ identifier, partial }) =>
      verifyPartial(parameters, identifier, input, await recipient.open(partial, id, identifier)),
    ),
  );
  return combine(parameters, input, partials);
}

test('any two of three nodes release the same key of a wallet', async () => {
  const keys: string[] = [];
  for (const numbers of [
    [1, 2],
    [2, 3],
    [1, 3],
  ]) {
    const recipient = await createRecipient();
    const request = requestFor(wallet, { group, recipient: recipient.publicKey });
    const releases = await Promise.all(numbers.map((number) => startNode(number).release(request)));
    const output = await combined(recipient, request.statement.id, releases, { kind: 'wallet', path: PATH });
    keys.push(Buffer.from(deriveWalletKeys(output).signingKey).toString('hex'));
  }
  expect(new Set(keys).size).toBe(1);
});

test('releases without a proof when the runner asks for none', async () => {
  const recipient = await createRecipient();
  const request = requestFor(wallet, { group, recipient: recipient.publicKey, withProof: false });
  const { identifier, partial } = await startNode(1).release(request);
  const encoded = await recipient.open(partial, request.statement.id, identifier);
  const proven = requestFor(wallet, { group, recipient: recipient.publicKey });
  const { partial: sealed } = await startNode(1).release(proven);
  expect(encoded).toEqual((await recipient.open(sealed, proven.statement.id, identifier)).subarray(0, 37));
});

test.each<[KeyPurpose, Evaluation]>([
  [wallet, { kind: 'wallet', path: PATH }],
  [
    { kind: 'action', usageKeyHash: '0x1f', cid: CID },
    { kind: 'action', cid: CID },
  ],
  [
    { kind: 'action-public-key', usageKeyHash: '0x1f', cid: CID, publicKey: PUBLIC_KEY },
    { kind: 'action-public-key', cid: CID, publicKey: PUBLIC_KEY },
  ],
  [
    { kind: 'mint-wallet', path: '0x5' },
    { kind: 'wallet', path: 5n },
  ],
  [
    { kind: 'wallet-address', path: '0x5', address: '12'.repeat(20) },
    { kind: 'wallet-address', path: 5n, address: '12'.repeat(20) },
  ],
  [
    { kind: 'mint-usage-key', path: '0x5' },
    { kind: 'usage-key', path: 5n },
  ],
])('evaluates what the contract permits for $kind', async (purpose, evaluation) => {
  const recipient = await createRecipient();
  const request = requestFor(purpose, { group, recipient: recipient.publicKey });
  const releases = await Promise.all([1, 2].map((number) => startNode(number).release(request)));
  expect(await combined(recipient, request.statement.id, releases, evaluation)).toHaveLength(64);
});

test('asks the contract about the usage key, the action and the wallet of the statement', async () => {
  const asked: unknown[][] = [];
  const views = {
    ...permitting,
    canUseWalletInAction: (...args: never[]) => asked.push(args) > 0,
    getWalletDerivation: (...args: never[]) => (asked.push(args) > 0 ? PATH : 0n),
  };
  const { publicKey } = await createRecipient();
  await startNode(1, views).release(requestFor(wallet, { group, recipient: publicKey }));
  expect(asked).toEqual([
    [31n, cidHash(CID), WALLET],
    [31n, WALLET],
  ]);
});

test.each<[string, KeyPurpose, Record<string, () => unknown>, string]>([
  ['permission for the wallet', wallet, { canUseWalletInAction: () => false }, 'may not use the wallet'],
  ['a registered wallet', wallet, { getWalletDerivation: () => 0n }, 'the wallet is not registered'],
  [
    'permission to run the action',
    { kind: 'action', usageKeyHash: '0x1', cid: CID },
    { canExecuteAction: () => false },
    'may not run the action',
  ],
  [
    'permission to run the action',
    { kind: 'action-public-key', usageKeyHash: '0x1', cid: CID, publicKey: PUBLIC_KEY },
    { canExecuteAction: () => false },
    'may not run the action',
  ],
  ['a free path', { kind: 'mint-wallet', path: '0x5' }, { isPathRegistered: () => true }, 'has registered'],
  [
    'a free path',
    { kind: 'wallet-address', path: '0x5', address: '12'.repeat(20) },
    { isPathRegistered: () => true },
    'has registered',
  ],
  [
    'a free path',
    { kind: 'mint-usage-key', path: '0x5' },
    { isPathRegistered: () => true },
    'has registered',
  ],
  ['a path', { kind: 'mint-wallet', path: '0x0' }, {}, 'has registered'],
])('refuses without %s', async (_, purpose, views, message) => {
  const { publicKey } = await createRecipient();
  const node = startNode(1, { ...permitting, ...views });
  const released = node.release(requestFor(purpose, { group, recipient: publicKey }));
  await expect(released).rejects.toMatchObject({ status: 403, message: expect.stringContaining(message) });
  expect(node.counts).toEqual([`${purpose.kind} refused`]);
  expect(JSON.parse(node.lines[0] ?? '')).toMatchObject({ msg: 'refused a key request' });
});

test('accepts a statement once, also when it arrives twice concurrently', async () => {
  const node = startNode(1);
  const { publicKey } = await createRecipient();
  const request = requestFor(wallet, { group, recipient: publicKey });
  const results = await Promise.allSettled([node.release(request), node.release(request)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect(node.release(request)).rejects.toMatchObject({
    status: 403,
    message: 'the request was used before',
  });
});

test('answers 503 to a statement that it may have accepted before its start', async () => {
  const { publicKey } = await createRecipient();
  const startedAt = Date.now() - 60_000;
  const seen = createSeenRequests(startedAt);
  const signedAt = (nowMs: number) => requestFor(wallet, { group, recipient: publicKey, nowMs }).statement;
  expect(seen.accept(signedAt(startedAt), Date.now())).toBe('unknown');
  // Signed by a clock that is ahead.
  expect(seen.accept(signedAt(startedAt + MAX_SKEW_MS), Date.now())).toBe('unknown');
  expect(seen.accept(signedAt(startedAt + MAX_SKEW_MS + 1), Date.now())).toBe('accepted');
  expect([MAX_SKEW_MS, MAX_SKEW_MS + 1].map((age) => seen.isReady(startedAt + age))).toEqual([false, true]);
  const node = startNode(1, permitting, 10n, Date.now());
  await expect(node.release(requestFor(wallet, { group, recipient: publicKey }))).rejects.toMatchObject({
    status: 503,
  });
});

test('answers 503 to a request for another group', async () => {
  const { publicKey } = await createRecipient();
  const request = requestFor(wallet, { group: '00'.repeat(32), recipient: publicKey });
  await expect(startNode(1).release(request)).rejects.toMatchObject({
    status: 503,
    message: 'the request is for another group of key nodes',
    isPublic: true,
  });
});

test('refuses requests of others, and changed ones, without a question to the chain', async () => {
  const node = startNode(1, {});
  const { publicKey } = await createRecipient();
  const request = requestFor(wallet, { group, recipient: publicKey });
  const stranger = createIdentity('09'.repeat(32)).publicKey;
  const changed = { ...request.statement, purpose: { ...wallet, usageKeyHash: '0x20' } };
  for (const refused of [
    { ...request, block: 9 },
    { ...request, statement: changed },
  ])
    await expect(node.release(refused)).rejects.toMatchObject({ status: 403 });
  for (const unknown of [
    { ...request, runner: stranger },
    { ...request, relayer: stranger },
  ])
    await expect(node.release(unknown)).rejects.toMatchObject({ status: 503 });
  expect(node.counts).toEqual(
    ['refused', 'refused', 'unavailable', 'unavailable'].map((result) => `wallet ${result}`),
  );
  expect(node.unknown).toEqual(Array(4).fill(ADDRESS));
});

test.each<[string, Partial<Record<'perKey' | 'perWallet' | 'perRunner', number>>, KeyPurpose, number]>([
  ['one of another usage key', { perKey: 2 }, { ...wallet, usageKeyHash: '0x20' }, 200],
  ['one of another usage key', { perWallet: 2 }, { ...wallet, usageKeyHash: '0x20' }, 429],
  ['one of an action', { perWallet: 2 }, { kind: 'action', usageKeyHash: '0x1f', cid: CID }, 200],
  ['every other one', { perRunner: 2 }, { kind: 'mint-wallet', path: '0x5' }, 429],
])('returns 429 above a limit, which may also cover %s: %o', async (_, limit, other, status) => {
  const node = startNode(1, permitting, 10n, startedAtMs, {
    perKey: 100,
    perWallet: 100,
    perRunner: 100,
    ...limit,
  });
  const { publicKey } = await createRecipient();
  const send = (purpose: KeyPurpose) =>
    node.release(requestFor(purpose, { group, recipient: publicKey })).then(
      () => 200,
      (error) => error.status,
    );
  expect([await send(wallet), await send(wallet), await send(wallet)]).toEqual([200, 200, 429]);
  expect(await send(other)).toBe(status);
});

test('a request that the contract refuses counts against no usage key', async () => {
  let isPermitted = false;
  const node = startNode(1, { ...permitting, canUseWalletInAction: () => isPermitted }, 10n, startedAtMs, {
    perKey: 1,
    perWallet: 1,
    perRunner: 100,
  });
  const { publicKey } = await createRecipient();
  const send = () => node.release(requestFor(wallet, { group, recipient: publicKey }));
  for (let i = 0; i < 3; i++) await expect(send()).rejects.toMatchObject({ status: 403 });
  isPermitted = true;
  await send();
});

test('logs every release before it answers, and no refusal', async () => {
  const { publicKey } = await createRecipient();
  const node = startNode(1);
  const request = requestFor(wallet, { group, recipient: publicKey });
  await node.release(request);
  await expect(node.release(request)).rejects.toMatchObject({ status: 403 });
  expect(node.logged).toEqual([[request.statement.id, 10n]]);
  node.fail(new Error('the disk is full'));
  await expect(node.release(requestFor(wallet, { group, recipient: publicKey }))).rejects.toThrow('the disk');
});

test('counts no request of a known relayer against its address, regardless of its runner and of clocks', async () => {
  const node = startNode(1, { ...permitting, canUseWalletInAction: () => false });
  const { publicKey } = await createRecipient();
  const of = { group, recipient: publicKey };
  const request = requestFor(wallet, of);
  await expect(node.release(request)).rejects.toMatchObject({ status: 403 });
  await expect(node.release(request)).rejects.toThrow('used before');
  for (const aheadMs of [-20_000, 20_000]) {
    const skewed = requestFor(wallet, { ...of, nowMs: Date.now() + aheadMs });
    await expect(node.release(skewed)).rejects.toThrow('compare the clocks');
  }
  const statement = createStatement({ ...of, purpose: wallet, withProof: true }, Date.now());
  const ofStranger = cosign(signStatement(statement, createIdentity('09'.repeat(32))), 10, relayer);
  await expect(node.release(ofStranger)).rejects.toThrow('unknown runner');
  expect(node.unknown).toEqual([]);
  const old = requestFor(wallet, { ...of, nowMs: Date.now() - 700_000 });
  await expect(node.release(old)).rejects.toThrow('compare the clocks');
  expect(node.unknown).toEqual([ADDRESS]);
});

test('logs the refusals of one address once per second, with their number', async () => {
  const node = startNode(1, { ...permitting, canUseWalletInAction: () => false });
  const { publicKey } = await createRecipient();
  for (let i = 0; i < 20; i++)
    await node.release(requestFor(wallet, { group, recipient: publicKey })).catch(() => {});
  expect(node.lines).toHaveLength(1);
  expect(JSON.parse(node.lines[0] ?? '')).toMatchObject({ reason: expect.stringContaining('may not use') });
  await expect.poll(() => node.lines, { timeout: 5_000 }).toHaveLength(2);
  expect(JSON.parse(node.lines[1] ?? '')).toMatchObject({ client_address: ADDRESS, count: 19 });
});

test.each([-20_000, 20_000])('answers 503 to a request by a clock that is %s ms ahead', async (aheadMs) => {
  const { publicKey } = await createRecipient();
  const request = requestFor(wallet, { group, recipient: publicKey, nowMs: Date.now() + aheadMs });
  const node = startNode(1, {});
  await expect(node.release(request)).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('compare the clocks'),
  });
  expect(node.counts).toEqual(['wallet unavailable']);
  expect(JSON.parse(node.lines[0] ?? '')).toMatchObject({ msg: 'failed to judge a key request' });
});

test('answers 503 when it is behind the block of the request, or the chain does not answer', async () => {
  const { publicKey } = await createRecipient();
  const request = () => requestFor(wallet, { group, recipient: publicKey, block: 11 });
  await expect(startNode(1).release(request())).rejects.toMatchObject({ status: 503 });
  const unaware = { ...permitting, canUseWalletInAction: () => false, getWalletDerivation: () => 0n };
  await expect(startNode(1, unaware).release(request())).rejects.toMatchObject({ status: 503 });
  expect(await startNode(1, permitting, 11n).release(request())).toMatchObject({ identifier: 1, epoch: 1 });
  const silent = {
    ...permitting,
    canUseWalletInAction: () => {
      throw new Error('no answer');
    },
  };
  await expect(startNode(1, silent, 11n).release(request())).rejects.toMatchObject({ status: 503 });
});

test('answers 503 while the contract publishes another group', async () => {
  const other = generateGroup(2, 2)[0]?.parameters ?? '';
  const { publicKey } = await createRecipient();
  const node = startNode(1, { ...permitting, nodeConfigurationValue: () => other });
  await expect(node.release(requestFor(wallet, { group, recipient: publicKey }))).rejects.toMatchObject({
    status: 503,
  });
});

test('logs who asked for what, and no key material', async () => {
  const node = startNode(1);
  const recipient = await createRecipient();
  const request = requestFor(wallet, { group, recipient: recipient.publicKey });
  const { partial } = await node.release(request);
  const [line = ''] = node.lines;
  expect(JSON.parse(line)).toMatchObject({
    request: request.statement.id,
    purpose: wallet,
    run: null,
    runner: runner.publicKey,
    relayer: relayer.publicKey,
    block: 10,
    epoch: 1,
    msg: 'released a part of a key',
  });
  const opened = await recipient.open(partial, request.statement.id, 1);
  for (const secret of [held[0]?.secret ?? '', partial, Buffer.from(opened).toString('hex')])
    expect(node.lines.join()).not.toContain(secret);
});
