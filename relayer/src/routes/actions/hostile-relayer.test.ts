/**
 * A relayer under the control of an attacker, with its token, its identity, and public hashes of keys and CIDs. It must get no key
 * and no output of others, and must not change the result of a run of another relayer.
 */
import { randomUUID } from 'node:crypto';
import {
  cosign,
  createIdentity,
  createRecipient,
  createStatement,
  type KeyPurpose,
  signStatement,
} from '@latchkey/key-protocol';
import { apiKeyHash, cidHash, cidOf, parseCid } from '@latchkey/protocol';
import { addGroup, addUsageKey, createWallet, hex, newAccount, post, read } from '@latchkey/testing/stack';
import { CID } from 'multiformats/cid';
import { identity } from 'multiformats/hashes/identity';
import { sha256, sha512 } from 'multiformats/hashes/sha2';
import { type Hex, verifyMessage } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askKeyNodes, connectHostile, type Hostile, relayerIdentity } from '../../../test/hostile-relayer.ts';

const EXPORT = 'const main = ({ pkpId }) => Svc.Actions.getPrivateKey({ pkpId })';
const signCode = () => `// ${randomUUID()}
async function main({ pkpId }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage('of the victim');
}`;

type Victim = { key: string; usageKeyHash: Hex; pkpId: Hex; code: string; cid: string };
/** An account whose usage key may use its wallet in one action, which signs. The runner does not have the code yet. */
async function newVictim(): Promise<Victim> {
  const account = await newAccount();
  const code = signCode();
  const cid = await cidOf(code);
  const pkpId = await createWallet(account.key);
  const permitted = { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [hex(cidHash(cid))] };
  const key = await addUsageKey(account.key, { execute_in_groups: [await addGroup(account.key, permitted)] });
  return { key, usageKeyHash: `0x${apiKeyHash(key).toString(16)}`, pkpId, code, cid };
}

const parameters = await read('nodeConfigurationValue', ['key-nodes']);
const victim = await newVictim();

async function connect(): Promise<Hostile> {
  const hostile = await connectHostile(parameters);
  onTestFinished(hostile.close);
  return hostile;
}
const runOf = ({ usageKeyHash, pkpId, cid }: Victim, id = 1, fields: object = {}) => ({
  type: 'run',
  id,
  cid,
  params: JSON.stringify({ pkpId }),
  timeoutMs: 30_000,
  usageKeyHash,
  streamsLogs: false,
  ...fields,
});
const take = (id = 1, fields: object = {}) => ({ type: 'take', id, account: '0x5', ...fields });

/** Takes a process. */
async function taken(hostile: Hostile, id = 1, fields: object = {}): Promise<void> {
  hostile.send(take(id, fields));
  await hostile.next('taken', id);
}
const holdsKey = (value: unknown, { pkpId }: Victim): boolean =>
  [...JSON.stringify(value).matchAll(/0x[0-9a-f]{64}(?![0-9a-f])/g)].some(
    ([text]) => privateKeyToAddress(text as Hex) === pkpId,
  );

/** Runs the victim's action through its own relayer. */
async function expectHonest({ key, pkpId, code }: Victim): Promise<void> {
  const { status, body } = await post('svc_action', { code, js_params: { pkpId } }, key);
  expect([status, body]).toMatchObject([200, { has_error: false }]);
  const { response } = body as { response: Hex };
  expect(await verifyMessage({ address: pkpId, message: 'of the victim', signature: response })).toBe(true);
}

test('the code of another action does not run under the CID of one that signs, and gets no key', async () => {
  const hostile = await connect();
  await taken(hostile);
  hostile.send(runOf(victim), EXPORT);
  expect(holdsKey(await hostile.outcome(1), victim)).toBe(false);
  expect(hostile.statements).toEqual([]);
  expect(hostile.isClosed()).toBe(true);
});

test('a relayer does not run the code that another one sent under a false CID', async () => {
  const honest = await newVictim();
  const hostile = await connect();
  await taken(hostile);
  hostile.send(runOf(honest), 'const main = () => "poisoned"');
  await hostile.outcome(1);
  await expectHonest(honest);
});

test('code that is sent after a run of another action was announced does not run with its keys', async () => {
  const hostile = await connect();
  const exporting = { ...victim, cid: await cidOf(EXPORT) };
  await taken(hostile);
  // The runner asks for the code that it does not have. A second message cannot change the run of the first.
  hostile.send(
    runOf({ ...exporting, cid: await cidOf('const main = () => "code that no other test sends"') }),
  );
  await hostile.next('code missing', 1);
  hostile.send(runOf(exporting), EXPORT);
  await expect.poll(hostile.isClosed).toBe(true);
  expect(holdsKey(hostile.received, victim)).toBe(false);
  expect(hostile.statements).toEqual([]);
});

test('a run of one relayer does not ask for the wallet that the last run of another one used', async () => {
  await expectHonest(victim);
  const hostile = await connect();
  await taken(hostile);
  hostile.send({ ...runOf(victim), params: '{}' }, victim.code);
  await hostile.outcome(1);
  const wallets = hostile.statements.map((statement) => JSON.stringify(statement).toLowerCase());
  expect(wallets.filter((text) => text.includes(victim.pkpId.slice(2).toLowerCase()))).toEqual([]);
});

describe('closes the connection for', () => {
  const cidV1 = async (codec: number, code: string) =>
    CID.createV1(
      codec,
      codec === 0x70 ? parseCid(await cidOf(code)).multihash : await sha256.digest(Buffer.from(code)),
    ).toString();
  const withHash = async (hash: typeof sha256, code: string) =>
    CID.createV1(0x55, await hash.digest(Buffer.from(code))).toString();
  const bodies: [string, (victim: Victim) => Promise<{ cid: string; body: string }>][] = [
    ['a body with one more byte', async ({ cid, code }) => ({ cid, body: `${code} ` })],
    ['the beginning of the body', async ({ cid, code }) => ({ cid, body: code.slice(0, -1) })],
    ['an empty body', async ({ cid }) => ({ cid, body: '' })],
    ['CIDv1 of another body', async ({ code }) => ({ cid: await cidV1(0x70, code), body: EXPORT })],
    ['CIDv1 of another raw block', async ({ code }) => ({ cid: await cidV1(0x55, code), body: EXPORT })],
    ['CIDv1 of another codec', async () => ({ cid: await cidV1(0x71, EXPORT), body: EXPORT })],
    ['a CID by another hash', async () => ({ cid: await withHash(sha512 as never, EXPORT), body: EXPORT })],
    [
      'a CID that is its content',
      async () => ({ cid: await withHash(identity as never, EXPORT), body: EXPORT }),
    ],
    ['the hash of a CID', async ({ cid }) => ({ cid: hex(cidHash(cid)), body: EXPORT })],
    ['a CID with spaces', async ({ cid, code }) => ({ cid: ` ${cid}`, body: code })],
    ['no CID', async () => ({ cid: '', body: EXPORT })],
  ];
  test.each(bodies)('%s', async (_, of) => {
    const fresh = { ...victim, code: signCode() };
    fresh.cid = await cidOf(fresh.code);
    const { cid, body } = await of(fresh);
    const hostile = await connect();
    await taken(hostile);
    hostile.send(runOf({ ...fresh, cid }));
    await hostile.next('code missing', 1);
    hostile.send(runOf({ ...fresh, cid }), body);
    expect(await hostile.outcome(1)).toEqual([]);
    expect(hostile.isClosed()).toBe(true);
    expect(hostile.statements).toEqual([]);
  });

  const run = () => runOf(victim);
  const sequences: [string, (hostile: Hostile) => unknown[][]][] = [
    ['an id that is in use', () => [[take()], [take()]]],
    ['an id that is in use, for an idle process', () => [[take()], [{ ...run(), account: '0x5' }]]],
    ['an unknown type', () => [[{ type: 'everything' }]]],
    ['text that is not JSON', () => [['{']]],
    ['a length beyond the message', () => [[take(), '', 1_000]]],
    ['a length within the message', () => [[take(), '', 3]]],
    ['no length', () => [['', '', 0]]],
    ['an id below 1', () => [[take(0)]]],
    ['a hash that is not hexadecimal', () => [[{ ...run(), usageKeyHash: 'x' }, victim.code]]],
  ];
  test.each(sequences)('%s', async (_, messages) => {
    const hostile = await connect();
    for (const [message, body, length] of messages(hostile))
      hostile.send(message, body as string | undefined, length as number | undefined);
    await expect.poll(hostile.isClosed).toBe(true);
    expect(holdsKey(hostile.received, victim)).toBe(false);
    await expectHonest(victim);
  });
});

test('closes the connection for a second start of a run', async () => {
  const hostile = await connect();
  await taken(hostile);
  for (let i = 0; i < 2; i++) hostile.send(runOf(victim), victim.code);
  await expect.poll(hostile.isClosed).toBe(true);
  await expectHonest(victim);
});

test('CIDv1 of the code runs, as an action of its own', async () => {
  const code = `const main = () => ${JSON.stringify(randomUUID())}`;
  const dagPb = CID.createV1(0x70, parseCid(await cidOf(code)).multihash).toString();
  const raw = CID.createV1(0x55, await sha256.digest(Buffer.from(code))).toString();
  const hostile = await connect();
  for (const [i, cid] of [dagPb, raw].entries()) {
    await taken(hostile, i + 1);
    hostile.send(runOf({ ...victim, cid }, i + 1), code);
    expect(await hostile.next('result', i + 1)).toMatchObject({ result: { hasError: false } });
  }
});

test('replies, stops and returns of one relayer do not reach the runs of another', async () => {
  const honest = await newVictim();
  const waiting = honest.code.replace('{\n', '{\n  await new Promise((done) => setTimeout(done, 1_000));\n');
  const account = { ...honest, code: waiting };
  const owner = await newAccount();
  const pkpId = await createWallet(owner.key);
  const group = await addGroup(owner.key, { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [hex(0n)] });
  account.key = await addUsageKey(owner.key, { execute_in_groups: [group] });
  const hostile = await connect();
  let isOver = false;
  const running = expectHonest({ ...account, pkpId }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (let number = 1; number <= 100; number++) {
      const error = { name: 'StoppedError', message: 'stopped by another relayer' };
      hostile.send({ type: 'stop', id: number, error });
      hostile.send({ type: 'give back', id: number });
      hostile.send({ type: 'certificate', call: number, value: '0x01' });
      hostile.send({ type: 'certificate refused', call: number, error });
      hostile.send({ type: 'partials end', call: number, isRefused: true, message: 'no' });
    }
    await new Promise((next) => setTimeout(next, 20));
  }
  await running;
  expect(hostile.isClosed()).toBe(false);
});

test('the key nodes sign the address that the runner derived for a path, and none for a registered path', async () => {
  const hostile = await connect();
  const path = `0x${randomUUID().replaceAll('-', '').slice(8)}`.replace(/^0x0+/, '0x');
  const minted: string[] = [];
  for (const id of [1, 2]) {
    hostile.send({ type: 'mint', id, kind: 'mint-wallet', path });
    const { value } = await hostile.next('minted', id);
    minted.push(JSON.parse(value as string).address);
  }
  expect(minted[1]).toBe(minted[0]);
  const address = minted[0]?.slice(2).toLowerCase();
  expect(hostile.statements.map(({ statement }) => statement.purpose)).toEqual([
    ...[1, 2].flatMap(() => [
      { kind: 'mint-wallet', path },
      { kind: 'wallet-address', path, address },
    ]),
  ]);
  const registered = await read('getWalletDerivation', [BigInt(victim.usageKeyHash), victim.pkpId]);
  hostile.send({ type: 'mint', id: 3, kind: 'mint-wallet', path: `0x${registered.toString(16)}` });
  await hostile.next('mint failed', 3);
});

describe('the public key of an action', () => {
  const ASK = `const main = ({ ipfsId }) => Svc.Actions.getActionPublicKey({ ipfsId })`;

  test('is certified for an action that the usage key may run only, without its private key', async () => {
    const hostile = await connect();
    const { usageKeyHash, cid } = victim;
    hostile.send({ type: 'certify', id: 1, usageKeyHash, cid: await cidOf(ASK) });
    await hostile.next('mint failed', 1);
    hostile.send({ type: 'certify', id: 2, usageKeyHash, cid });
    const { value } = await hostile.next('minted', 2);
    const { publicKey } = JSON.parse(value as string);
    expect(publicKey).toMatch(/^0[23][0-9a-f]{64}$/);
    for (const { statement } of hostile.statements)
      expect(statement.purpose).toMatchObject({ kind: expect.stringMatching(/^action/) });
    expect(hostile.statements.at(-1)?.statement.purpose).toMatchObject({ cid, publicKey });
  });

  test('is not what a relayer says', async () => {
    const hostile = await connect();
    const { usageKeyHash, cid } = victim;
    hostile.send({ type: 'certify', id: 1, usageKeyHash, cid });
    const { value } = await hostile.next('minted', 1);
    const genuine = JSON.parse(value as string);
    const forged = [
      { ...genuine, publicKey: `02${'11'.repeat(32)}` },
      { ...genuine, partials: [] },
      '0x1234',
    ];
    for (const [i, answer] of [...forged, genuine].entries()) {
      const id = i + 2;
      await taken(hostile, id);
      hostile.send(
        {
          ...runOf({ ...victim, cid: await cidOf(ASK) }, id),
          params: JSON.stringify({ ipfsId: answer === genuine ? await cidOf('another') : cid }),
        },
        ASK,
      );
      const asks = () => hostile.received.filter(({ type, run }) => type === 'certificate' && run === id);
      await expect.poll(() => asks().length).toBe(1);
      hostile.send({ type: 'certificate', call: asks()[0]?.call, value: JSON.stringify(answer) });
      expect(await hostile.next('result', id)).toMatchObject({
        result: { hasError: true, error: { name: 'ActionKeyError' } },
      });
    }
  });
});

describe('key nodes', () => {
  /** Lets the runner ask for the victim's key, in its own action, and keeps the answers from it. */
  async function askedRunner() {
    const hostile = await connect();
    const calls: number[] = [];
    hostile.onKeyRequest = async (message) => {
      hostile.statements.push(message.signed as never);
      calls.push(message.call as number);
    };
    await taken(hostile);
    hostile.send(runOf(victim), victim.code);
    await expect.poll(() => calls.length).toBeGreaterThan(0);
    const [signed] = hostile.statements;
    if (!signed) throw new Error('no statement');
    return { hostile, signed, calls };
  }
  const otherUse = (purpose: KeyPurpose) =>
    'use' in purpose && purpose.use === 'inside' ? 'export' : 'inside';
  const statuses = async (request: object) => (await askKeyNodes(request)).map(({ status }) => status);

  test('answer one statement once, and no changed one', async () => {
    const { signed } = await askedRunner();
    const own = await createRecipient();
    const { statement } = signed;
    const purpose = { ...statement.purpose, cid: await cidOf(EXPORT) };
    for (const changed of [
      { ...statement, recipient: own.publicKey },
      { ...statement, purpose },
      { ...statement, purpose: { ...statement.purpose, use: otherUse(statement.purpose) } },
      { ...statement, expiresAt: statement.expiresAt + 1 },
    ])
      expect(await statuses(cosign({ ...signed, statement: changed as never }, 0, relayerIdentity))).toEqual([
        403, 403, 403,
      ]);
    expect(await statuses(cosign(signed, 0, relayerIdentity))).toEqual([200, 200, 200]);
    expect(await statuses(cosign(signed, 1, relayerIdentity))).toEqual([403, 403, 403]);
  });

  test('answer no statement that a relayer made itself', async () => {
    const { signed } = await askedRunner();
    const own = await createRecipient();
    const { group, purpose, withProof } = signed.statement;
    const statement = createStatement({ group, purpose, withProof, recipient: own.publicKey }, Date.now());
    const mine = signStatement(statement, relayerIdentity);
    const stranger = signStatement(statement, createIdentity('ab'.repeat(32)));
    for (const unknown of [mine, stranger])
      expect(await statuses(cosign(unknown, 0, relayerIdentity))).toEqual([503, 503, 503]);
    const forged = { ...mine, runner: signed.runner };
    expect(await statuses(cosign(forged, 0, relayerIdentity))).toEqual([403, 403, 403]);
  });

  test('give parts that the runner uses for one statement only', async () => {
    const first = await connect();
    await taken(first);
    first.send(runOf(victim), victim.code);
    await first.next('result', 1);
    expect(first.partials.length).toBeGreaterThanOrEqual(2);
    const { hostile, calls } = await askedRunner();
    const answer = (call: number) => {
      for (const partial of first.partials) hostile.send({ ...partial, call });
      hostile.send({ type: 'partials end', call, isRefused: true, message: 'no' });
    };
    hostile.onKeyRequest = async ({ call }) => answer(call as number);
    for (const call of calls) answer(call);
    expect(await hostile.next('result', 1)).toMatchObject({
      result: { hasError: true, error: { name: 'WalletNotPermittedError' } },
    });
  });
});
