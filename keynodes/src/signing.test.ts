import { createPublicKey, verify } from 'node:crypto';
import {
  cosign,
  createIdentity,
  createRecipient,
  createStatement,
  type KeyPurpose,
  MAX_SIGNED_BYTES,
  signStatement,
} from '@latchkey/key-protocol';
import {
  aggregate,
  type Commitment,
  decodeGroupParameters,
  type KeyType,
  signingKey,
} from '@latchkey/threshold';
import { schnorr } from '@noble/curves/secp256k1.js';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { MAX_BODY_BYTES } from './config.ts';
import type { NodeState } from './node-store.ts';
import { createPermissions } from './permissions.ts';
import { createReleaseLimits } from './release-limits.ts';
import { createReleases } from './releases.ts';
import { createSeenRequests } from './seen-requests.ts';
import { createShares, type LoadedShare } from './shares.ts';
import { createSigning } from './signing.ts';
import { chainOf, generateGroup, relayer, requestFor, runner } from './testing.ts';

type SignPurpose = Extract<KeyPurpose, { kind: 'sign' }>;
const held = generateGroup(2, 3);
const published = held[0]?.parameters ?? '';
const { groupPublicKey: group } = decodeGroupParameters(published);
const [ed25519, secp256k1] = (held[0]?.signing ?? []).map((key) => decodeGroupParameters(key.parameters));
if (!ed25519 || !secp256k1) throw new Error('no parameters');
const PATH = 77n;
const MESSAGE = Buffer.from('a message');
const otherRunner = createIdentity('03'.repeat(32));
const permitting = {
  nodeConfigurationValue: () => published,
  canUseWalletInAction: () => true,
  getWalletDerivation: () => PATH,
};

/** Returns how a runner asks a node, through an honest relayer; `lines` is its audit log. */
function startNode(
  number: number,
  views: Record<string, (...args: never[]) => unknown> = permitting,
  perWallet = 100,
) {
  let state: NodeState = { identity: '', current: held[number - 1] ?? null, next: null, dealing: null };
  const change = async (members: (state: NodeState) => Partial<NodeState>) => {
    state = { ...state, ...members(state) };
  };
  const lines: string[] = [];
  const logged: string[] = [];
  const release = createReleases({
    permissions: createPermissions({ decide: chainOf(views), heads: undefined, maxAgeSec: 15 }),
    shares: createShares({ read: () => state, change }),
    seen: createSeenRequests(Date.now() - 60_000),
    signing: createSigning(),
    limits: createReleaseLimits({ perKey: 100, perWallet, perRunner: 100 }),
    releaseLog: { append: (request) => void logged.push(request.statement.purpose.kind) },
    runners: [runner.publicKey, otherRunner.publicKey],
    relayers: [relayer.publicKey],
    log: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
    count: () => {},
    countUnknown: () => {},
  });
  const ask = async (purpose: KeyPurpose, by = runner) => {
    const recipient = await createRecipient();
    const { publicKey } = recipient;
    const statement = createStatement(
      { group, purpose, run: null, withProof: false, recipient: publicKey },
      Date.now(),
    );
    const request = cosign(signStatement(statement, by), 10, relayer);
    const answer = await release(request, '127.0.0.1');
    const bytes = await recipient.open(answer.partial, statement.id, answer.identifier);
    return { ...answer, bytes, request };
  };
  const commit = async (suite: 'ed25519' | 'secp256k1', by = runner, count = 1): Promise<Commitment[]> => {
    const { identifier, bytes } = await ask({ kind: 'nonces', suite, count }, by);
    const { commitments } = JSON.parse(Buffer.from(bytes).toString()) as { commitments: [string, string][] };
    return commitments.map(([hiding, binding]) => ({ identifier, hiding, binding }));
  };
  return { ask, release, commit, lines, logged };
}
type Node = ReturnType<typeof startNode>;

const purposeOf = (commitments: Commitment[], fields: Partial<SignPurpose> = {}): SignPurpose => ({
  kind: 'sign',
  usageKeyHash: '0x1f',
  cid: 'QmTestCid',
  wallet: `0x${'12'.repeat(20)}`,
  keyType: 'ed25519',
  message: MESSAGE.toString('base64'),
  commitments,
  ...fields,
});
const commitAll = async (nodes: Node[], suite: 'ed25519' | 'secp256k1' = 'ed25519'): Promise<Commitment[]> =>
  (await Promise.all(nodes.map((node) => node.commit(suite)))).flat();

async function signs(nodes: Node[], keyType: KeyType): Promise<boolean> {
  const parameters = keyType === 'ed25519' ? ed25519 : secp256k1;
  if (!parameters) return false;
  const purpose = purposeOf(await commitAll(nodes, keyType === 'ed25519' ? 'ed25519' : 'secp256k1'), {
    keyType,
  });
  const shares = new Map<number, Uint8Array>();
  for (const node of nodes) {
    const { identifier, bytes, path } = await node.ask(purpose);
    expect(path).toBe(PATH);
    shares.set(identifier, bytes);
  }
  const key = signingKey(parameters.groupPublicKey, keyType, PATH);
  const signature = aggregate(key, parameters, purpose.commitments, MESSAGE, shares);
  if (keyType !== 'ed25519') return schnorr.verify(signature, MESSAGE, key.publicKey);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.publicKey).toString('base64url') };
  return verify(null, MESSAGE, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

test.each(['ed25519', 'bip340', 'taproot'] as const)('any two of three nodes sign: %s', async (keyType) => {
  for (const numbers of [
    [1, 2],
    [1, 3],
    [2, 3],
  ])
    expect(
      await signs(
        numbers.map((number) => startNode(number)),
        keyType,
      ),
    ).toBe(true);
});

test('a signature is a release of the wallet: it is logged, and counts against the limit', async () => {
  const nodes = [startNode(1, permitting, 1), startNode(2)] as [Node, Node];
  const [first, ...others] = [await commitAll(nodes), await commitAll(nodes)];
  await nodes[0].ask(purposeOf(first));
  expect(nodes[0].logged).toEqual(['sign']);
  for (const commitments of others)
    await expect(nodes[0].ask(purposeOf(commitments))).rejects.toMatchObject({ status: 429 });
  expect(nodes[0].logged).toEqual(['sign']);
});

describe('gives one share for its nonces', () => {
  const refused = { status: 503, message: 'this node has no such nonces: ask for new ones' };

  test('to the same request, another message, another wallet and another key', async () => {
    const [one, two] = [startNode(1), startNode(2)];
    const commitments = await commitAll([one, two]);
    const first = await one.ask(purposeOf(commitments));
    await expect(one.release(first.request, '127.0.0.1')).rejects.toMatchObject({ status: 403 });
    const others: Partial<SignPurpose>[] = [
      {},
      { message: 'AAAA' },
      { wallet: `0x${'13'.repeat(20)}` },
      { cid: 'QmOther' },
    ];
    for (const fields of others)
      await expect(one.ask(purposeOf(commitments, fields))).rejects.toMatchObject(refused);
    const fresh = await two.commit('ed25519');
    await expect(one.ask(purposeOf([commitments[0] as Commitment, ...fresh]))).rejects.toMatchObject(refused);
  });

  test('to concurrent requests', async () => {
    const [one, two] = [startNode(1), startNode(2)];
    const commitments = await commitAll([one, two]);
    const results = await Promise.allSettled(
      ['AAAA', 'AAAB', 'AAAC', 'AAAD'].map((message) => one.ask(purposeOf(commitments, { message }))),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', ...Array(3).fill('rejected')]);
  });

  test('and returns 503, not a refusal, when it cannot use the other commitments: a lying node can have made them', async () => {
    const [one, two] = [startNode(1), startNode(2)];
    const zero = '00'.repeat(32);
    const identity = `01${zero.slice(2)}`;
    const smallOrder = `ec${'ff'.repeat(30)}7f`;
    for (const change of [
      (own: Commitment, other: Commitment) => [own, { ...other, hiding: zero }],
      (own: Commitment, other: Commitment) => [own, { ...other, binding: identity }],
      (own: Commitment, other: Commitment) => [own, { ...other, binding: smallOrder }],
      (own: Commitment, other: Commitment) => [own, { ...other, identifier: 1 }],
      (own: Commitment, other: Commitment) => [own, { ...other, identifier: 9 }],
      (own: Commitment, other: Commitment) => [other, own],
      (own: Commitment, other: Commitment) => [own, other, { ...other, identifier: 3 }],
      (own: Commitment) => [own, own],
    ]) {
      const [own, other] = (await commitAll([one, two])) as [Commitment, Commitment];
      const commitments = change(own, other);
      await expect(one.ask(purposeOf(commitments)), JSON.stringify(commitments)).rejects.toMatchObject({
        status: 503,
        message: 'the commitments are malformed',
      });
      await expect(one.ask(purposeOf([own, other]))).rejects.toMatchObject(refused);
    }
  });

  test('to the runner that they were made for, and with the key that they were made for', async () => {
    const [one, two] = [startNode(1), startNode(2)];
    const commitments = await commitAll([one, two]);
    await expect(one.ask(purposeOf(commitments), otherRunner)).rejects.toMatchObject(refused);
    await expect(one.ask(purposeOf(commitments, { keyType: 'bip340' }))).rejects.toMatchObject(refused);
    expect((await one.ask(purposeOf(commitments))).bytes).toHaveLength(32);
  });

  test('and none after a restart, or for invented, swapped or foreign commitments', async () => {
    const [one, two] = [startNode(1), startNode(2)];
    const [own, other] = (await commitAll([one, two])) as [Commitment, Commitment];
    await expect(startNode(1).ask(purposeOf([own, other]))).rejects.toMatchObject(refused);
    for (const made of [
      { ...own, hiding: own.binding, binding: own.hiding },
      { ...own, binding: other.binding },
      { ...other, identifier: 1 },
    ])
      await expect(one.ask(purposeOf([made, other]))).rejects.toMatchObject(refused);
    await expect(one.ask(purposeOf([other, { ...other, identifier: 3 }]))).rejects.toMatchObject({
      status: 503,
      message: 'the request has no commitment of this node',
    });
  });
});

test.each([
  ['permission for the wallet', { canUseWalletInAction: () => false }, 'may not use the wallet'],
  ['a registered wallet', { getWalletDerivation: () => 0n }, 'the wallet is not registered'],
])('refuses to sign without %s', async (_, views, message) => {
  const node = startNode(1, { ...permitting, ...views });
  const commitments = await commitAll([node, startNode(2)]);
  await expect(node.ask(purposeOf(commitments))).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining(message),
  });
});

test('logs who signed, with the hash of the message, and neither message nor nonces', async () => {
  const [one, two] = [startNode(1), startNode(2)];
  const commitments = await commitAll([one, two]);
  const { bytes } = await one.ask(purposeOf(commitments));
  const line = one.lines.at(-1) ?? '';
  expect(JSON.parse(line).purpose).toMatchObject({
    kind: 'sign',
    keyType: 'ed25519',
    message: expect.stringMatching(/^[0-9a-f]{64}$/),
    commitments: [1, 2],
  });
  for (const secret of [MESSAGE.toString('base64'), Buffer.from(bytes).toString('hex')])
    expect(line).not.toContain(secret);
});

describe('nonces', () => {
  const share = (epoch = 1): LoadedShare => {
    const keys = held[0]?.signing.map(({ parameters: text, secret }) => {
      const parameters = { ...decodeGroupParameters(text), epoch };
      return { parameters, share: { epoch, identifier: 1, secret: Buffer.from(secret, 'hex') } };
    });
    const [first, second] = keys ?? [];
    if (!first || !second) throw new Error('no shares');
    return { ...first, signing: { ed25519: first, secp256k1: second } };
  };
  const other = startNode(2);
  const issue = (signing: ReturnType<typeof createSigning>, count = 1, nowMs = 0): Commitment[] => {
    const bytes = signing.issue(share(), 'a', { kind: 'nonces', suite: 'ed25519', count }, nowMs);
    const { commitments } = JSON.parse(Buffer.from(bytes).toString()) as { commitments: [string, string][] };
    return commitments.map(([hiding, binding]) => ({ identifier: 1, hiding, binding }));
  };
  const sign = async (
    signing: ReturnType<typeof createSigning>,
    own: Commitment,
    nowMs: number,
    epoch = 1,
  ) => {
    const commitments = [own, ...(await other.commit('ed25519'))];
    return () => signing.sign(share(epoch), 'a', purposeOf(commitments), PATH, nowMs);
  };

  test('are used within ten minutes, and in the epoch that they were made in', async () => {
    const signing = createSigning();
    const [a, b, c] = issue(signing, 3) as [Commitment, Commitment, Commitment];
    expect(await sign(signing, a, 599_999)).not.toThrow();
    expect(await sign(signing, b, 600_000)).toThrow('no such nonces');
    expect(await sign(signing, c, 1, 2)).toThrow('no such nonces');
    expect(await sign(signing, c, 1)).toThrow('no such nonces');
  });

  test('are 1,024 per runner: more take the place of the oldest', async () => {
    const signing = createSigning();
    const made = Array.from({ length: 65 }, () => issue(signing, 16)).flat();
    expect(await sign(signing, made[15] as Commitment, 1)).toThrow('no such nonces');
    expect(await sign(signing, made[16] as Commitment, 1)).not.toThrow();
    expect(await sign(signing, made[1039] as Commitment, 1)).not.toThrow();
  });
});

test('the longest request to sign fits into the body that a node takes', () => {
  const commitments = Array.from({ length: 16 }, (_, i) => ({
    identifier: 240 + i,
    hiding: 'ab'.repeat(33),
    binding: 'cd'.repeat(33),
  }));
  const purpose = purposeOf(commitments, {
    keyType: 'bip340',
    message: Buffer.alloc(MAX_SIGNED_BYTES).toString('base64'),
    usageKeyHash: `0x${'f'.repeat(64)}`,
    cid: 'Q'.repeat(128),
  });
  const request = requestFor(purpose, { group, recipient: '00'.repeat(32), block: Number.MAX_SAFE_INTEGER });
  expect(JSON.stringify(request).length).toBeLessThanOrEqual(MAX_BODY_BYTES);
});
