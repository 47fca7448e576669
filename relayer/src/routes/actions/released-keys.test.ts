import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type NetConnectOpts } from 'node:net';
import {
  addGroup,
  addUsageKey,
  call,
  createWallet,
  hex,
  newAccount,
  payAndConfirm,
  stack,
} from '@latchkey/testing/stack';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import { ownRelayer } from '../../../test/own-relayer.ts';

/** Runs, each of which releases the key of the wallet and of another action. */
const RELEASES = Number(process.env.RELEASES ?? 5);
const BLOCK_BYTES = 16 * 1024 * 1024;

/** Returns the keys combined with a pad, so that the reply does not contain them. */
const codeOf = (number: number) => `// ${number}
async function main({ pkpId, pad }) {
  const keys = [await Svc.Actions.getPrivateKey({ pkpId }), await Svc.Actions.getActionPrivateKey()];
  const padOf = (i) => parseInt(pad.slice(2 * i, 2 * i + 2), 16);
  return keys.map((key) => ethers.utils.hexlify(ethers.utils.arrayify(key).map((byte, i) => byte ^ padOf(i))));
}`;

/** Returns the texts that the writable memory of a process contains. */
async function findInMemory(pid: number, texts: Buffer[]): Promise<Buffer[]> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8');
  const found = new Set<Buffer>();
  await using memory = await open(`/proc/${pid}/mem`, 'r');
  for (const line of maps.split('\n')) {
    const [, from = '', to = '', access = ''] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(line) ?? [];
    if (!access.startsWith('rw')) continue;
    const end = Number(`0x${to}`);
    for (let at = Number(`0x${from}`); at < end; at += BLOCK_BYTES) {
      const block = Buffer.alloc(Math.min(BLOCK_BYTES + 64, end - at));
      const read = await memory.read(block, 0, block.length, at).catch(() => ({ bytesRead: 0 }));
      const seen = block.subarray(0, read.bytesRead);
      for (const text of texts) if (seen.includes(text)) found.add(text);
    }
  }
  return texts.filter((text) => found.has(text));
}

/** Returns the forms in which a text could contain keys. */
const formsOf = (keys: Iterable<string>): Buffer[] =>
  [...keys].flatMap((key) => {
    const bytes = Buffer.from(key, 'hex');
    return [bytes, Buffer.from(key), Buffer.from(bytes.toString('base64'))];
  });

/** Returns the key in hexadecimal. */
const unpad = (padded: string, pad: Buffer): string =>
  Buffer.from(Buffer.from(padded.slice(2), 'hex').map((byte, i) => byte ^ (pad[i] ?? 0))).toString('hex');

/** Opens an account with a wallet and a usage key that may use it in every action. */
async function openAccount() {
  const account = await newAccount();
  const pkpId = await createWallet(account.key);
  const everyAction = [hex(0n)];
  const group = await addGroup(account.key, {
    pkp_ids_permitted: [pkpId],
    cid_hashes_permitted: everyAction,
  });
  return { account, pkpId, usageKey: await addUsageKey(account.key, { execute_in_groups: [group] }) };
}
type Opened = Awaited<ReturnType<typeof openAccount>>;

/** Runs actions that release keys, and returns the keys. */
async function releaseKeys(
  { pkpId, usageKey }: Opened,
  count: number,
  url = stack.url,
): Promise<Set<string>> {
  const keys = new Set<string>();
  for (let i = 0; i < count; i++) {
    const pad = randomBytes(32);
    const body = { code: codeOf(i), js_params: { pkpId, pad: pad.toString('hex') } };
    const { status, body: reply } = await call('POST', 'svc_action', { key: usageKey, body }, url);
    expect([status, reply]).toMatchObject([200, { has_error: false }]);
    for (const padded of (reply as { response: string[] }).response) keys.add(unpad(padded, pad));
  }
  expect(keys.size).toBe(1 + count);
  expect([...keys].map((key) => privateKeyToAddress(`0x${key}`))).toContain(pkpId);
  return keys;
}

test.skipIf(process.platform !== 'linux')(
  'the memory of the relayer has no key that it passed to a run',
  { timeout: 600_000 },
  async () => {
    const keys = await releaseKeys(await openAccount(), RELEASES);
    const { relayer } = stack.pids;
    expect(await findInMemory(relayer, formsOf(keys))).toEqual([]);
    // Proves that the scan can find.
    const payerKeys = stack.payerKeys.map((payerKey) => Buffer.from(payerKey));
    expect(await findInMemory(relayer, payerKeys)).toEqual(payerKeys);
  },
);

/** A WebSocket client masks its bytes with four repeated bytes, which cancel out in the difference of bytes at this distance. */
const unmasked = (bytes: Buffer): Buffer =>
  bytes.subarray(4).map((byte, i) => byte ^ (bytes[i] ?? 0)) as Buffer;

/** Passes bytes on to a TCP port or a Unix socket, and keeps them. */
async function startTap(target: NetConnectOpts) {
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    const to = connect(target);
    for (const [from, into] of [
      [socket, to],
      [to, socket],
    ] as const) {
      from.on('data', (chunk: Buffer) => chunks.push(chunk));
      from.on('error', () => into.destroy());
      from.pipe(into);
    }
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  onTestFinished(() => void server.close());
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => Buffer.concat(chunks),
  };
}

test('the traffic of the relayer with runner and key nodes has no key', { timeout: 600_000 }, async () => {
  const opened = await openAccount();
  const runner = await startTap({ path: stack.runnerUrl.replace('unix:', '') });
  const nodes = [];
  for (const url of stack.keyNodeSettings.KEY_NODES?.split(',') ?? [])
    nodes.push(await startTap({ host: '127.0.0.1', port: Number(new URL(url).port) }));
  const keyNodes = nodes.map(({ address }) => `http://${address}`).join(',');
  await using relayer = await ownRelayer({ RUNNER_URLS: `ws://${runner.address}`, KEY_NODES: keyNodes });
  const cents = Math.max(500, 10 * RELEASES);
  await payAndConfirm({ 'X-Api-Key': opened.account.key }, { url: relayer.url, cents });
  const keys = await releaseKeys(opened, RELEASES, relayer.url);
  const traffic = [runner, ...nodes].map(({ bytes }) => unmasked(bytes()));
  const holding = (text: Buffer) => traffic.filter((bytes) => bytes.includes(unmasked(text))).length;
  for (const form of formsOf(keys)) expect(holding(form)).toBe(0);
  // Proves that the scan can find.
  expect(holding(Buffer.from(opened.pkpId))).toBe(1);
  expect(holding(Buffer.from('/v1/release'))).toBeGreaterThanOrEqual(2);
});
