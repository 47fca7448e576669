import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startChain } from '@latchkey/testing/chain';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import { startProxy } from '@latchkey/testing/socket-proxy';
import { freePort } from '@latchkey/testing/until';
import { sql } from 'drizzle-orm';
import { type Address, getAddress, type Hex, hashMessage } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage, parseSiweMessage, type SiweMessage } from 'viem/siwe';
import { afterAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { loginNonces } from '../db/schema.ts';
import { createWalletLogin, ServiceChainUnavailableError, WalletLoginError } from './wallet-login.ts';

const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const stranger = privateKeyToAccount(`0x${'22'.repeat(32)}`);
const publicUrl = () => 'https://triggers.example:8443';
const browser = 'b'.repeat(43);

let clockMs: number | undefined;
const nowMs = () => clockMs ?? Date.now();

const chain = disposeAfterAll(await startChain());
const database = disposeAfterAll(await openTestDatabase());
const login = createWalletLogin({ db: database.db, rpcUrls: [chain.url], publicUrl, nowMs });
afterAll(async () => {
  login.close();
});

async function signed(change: (message: string) => string = (message) => message) {
  const message = change(await login.createMessage(browser, wallet.address));
  return { message, signature: await wallet.signMessage({ message }) };
}
const expectRefused = async (attempt: Promise<unknown>, reason: RegExp) => {
  await expect(attempt).rejects.toThrow(WalletLoginError);
  await expect(attempt).rejects.toThrow(reason);
};

test('resolves to the wallet that signed the message', async () => {
  expect(await login.verify(browser, await signed())).toBe(wallet.address);
});

test('the message names the domain, the expiry and the chain', async () => {
  const before = Date.now();
  const { issuedAt, expirationTime, nonce, ...rest } = parseSiweMessage(
    await login.createMessage(browser, wallet.address),
  );
  expect(rest).toEqual({
    address: wallet.address,
    chainId: 31_337,
    domain: 'triggers.example:8443',
    statement: 'Log in to the trigger service.',
    uri: 'https://triggers.example:8443/login',
    version: '1',
  });
  expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  expect(issuedAt?.getTime()).toBeGreaterThanOrEqual(before);
  expect((expirationTime?.getTime() ?? 0) - (issuedAt?.getTime() ?? 0)).toBe(300_000);
});

describe('rejects a signed message that differs from the issued one in', () => {
  const withField = (field: Partial<SiweMessage>) => (message: string) =>
    createSiweMessage({ ...(parseSiweMessage(message) as SiweMessage), ...field });
  const later = new Date(Date.now() + 3_600_000);

  test.each<[string, (message: string) => string]>([
    ['domain', withField({ domain: 'evil.example' })],
    ['port', withField({ domain: 'triggers.example' })],
    ['scheme', withField({ scheme: 'https' })],
    ['URI', withField({ uri: 'https://evil.example/login' })],
    ['chain', withField({ chainId: 1 })],
    ['version', (message) => message.replace('Version: 1', 'Version: 2')],
    ['statement', withField({ statement: 'Transfer all my funds.' })],
    ['missing statement', (message) => message.replace('Log in to the trigger service.\n\n', '')],
    ['expiration', withField({ expirationTime: later })],
    ['missing expiration', (message) => message.replace(/\nExpiration Time: .*/, '')],
    ['issue time', withField({ issuedAt: new Date(Date.now() - 1_000) })],
    ['start time', withField({ notBefore: new Date(0) })],
    ['request id', withField({ requestId: '1' })],
    ['resources', withField({ resources: ['https://evil.example/'] })],
    ['ending', (message) => `${message}\nand I transfer all my funds`],
    ['beginning', (message) => `I transfer all my funds.\n${message}`],
    ['paragraph', (message) => message.replace('\n\nURI', '\n\nI transfer all my funds.\n\nURI')],
    ['line ending', (message) => message.replaceAll('\n', '\r\n')],
    ['address casing', (message) => message.replace(wallet.address, wallet.address.toLowerCase())],
    ['trailing space', (message) => `${message} `],
    ['format', () => 'hello'],
    ['date format', (message) => message.replace(/Issued At: .*/, 'Issued At: 2026-13-45T99:99:99.000Z')],
  ])('%s', async (_what, change) => {
    await expectRefused(login.verify(browser, await signed(change)), /not issued by this service/);
  });

  test('nonce', async () => {
    const message = await signed(withField({ nonce: 'a'.repeat(32) }));
    await expectRefused(login.verify(browser, message), /nonce/);
  });

  test('address, because the signature does not match it', async () => {
    const message = await signed(withField({ address: stranger.address }));
    await expectRefused(login.verify(browser, message), /not from this wallet/);
  });
});

describe('replay', () => {
  test('a message is valid once', async () => {
    const message = await signed();
    await login.verify(browser, message);
    await expectRefused(login.verify(browser, message), /nonce/);
  });

  test('a wrong signature uses up the message', async () => {
    const { message, signature } = await signed();
    await expectRefused(
      login.verify(browser, { message, signature: await stranger.signMessage({ message }) }),
      /not from this wallet/,
    );
    await expectRefused(login.verify(browser, { message, signature }), /nonce/);
  });

  test('a message is valid only in the browser that asked for it, and another browser does not use it up', async () => {
    const message = await signed();
    await expectRefused(login.verify('c'.repeat(43), message), /nonce/);
    expect(await login.verify(browser, message)).toBe(wallet.address);
  });

  test('one of 20 concurrent logins succeeds', async () => {
    const { db, dispose } = await openTestDatabase();
    const own = createWalletLogin({ db, rpcUrls: [chain.url], publicUrl });
    const message = await own.createMessage(browser, wallet.address);
    const signature = await wallet.signMessage({ message });
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => own.verify(browser, { message, signature })),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    own.close();
    await dispose();
  });
});

describe('expiry', () => {
  test.each([
    ['4:59 old', 299_000, true],
    ['5:00 old', 300_000, false],
    ['29 s ahead', -29_000, true],
    ['31 s ahead', -31_000, false],
  ])('a message %s (age %i ms) is accepted: %s', async (_what, ageMs, isAccepted) => {
    clockMs = Date.now();
    const message = await signed();
    clockMs += ageMs;
    const attempt = login.verify(browser, message);
    if (isAccepted) expect(await attempt).toBe(wallet.address);
    else await expectRefused(attempt, /expired/);
    clockMs = undefined;
  });

  test('rejects an expired nonce', async () => {
    const message = await signed();
    await database.db.update(loginNonces).set({ expiresAt: sql`now() - interval '1 second'` });
    await expectRefused(login.verify(browser, message), /nonce/);
  });
});

// Forms of signatures: packages/protocol/src/signature.test.ts.
test.each([
  ['that is malformed', '0x123', /malformed/],
  ['of no signer', '0x', /not from this wallet/],
])('rejects a signature %s', async (_what, signature, message) => {
  await expectRefused(login.verify(browser, { ...(await signed()), signature }), message);
});

describe('ERC-1271', () => {
  /** Logs in as a contract with this bytecode. */
  async function logInAs(code: Hex, rpcUrls = [chain.url], at = `0x${'c0'.repeat(20)}` as Address) {
    await chain.client.setCode({ address: at, bytecode: code });
    const own = createWalletLogin({ db: database.db, rpcUrls, publicUrl });
    const message = await own.createMessage(browser, at);
    const { address } = parseSiweMessage(message);
    // The contract below expects the digest as its signature.
    return own
      .verify(browser, { message, signature: hashMessage(message) })
      .then((verified) => expect(verified).toBe(address))
      .finally(() => own.close());
  }
  const RETURN_WORD = '60005260206000f3';
  const MAGIC = '631626ba7e60e01b';
  /** Code that pushes whether the first word of the signature is the digest. */
  const isDigest = '600435606435' + '14';

  test('accepts the magic value for this digest and signature', async () => {
    await logInAs(`0x${isDigest}${MAGIC}02${RETURN_WORD}`);
  });

  test('asks the contract over a websocket', async () => {
    await logInAs(`0x${isDigest}${MAGIC}02${RETURN_WORD}`, [chain.wsUrl]);
  });

  test('asks the contract again after its node was away for three seconds', async () => {
    using proxy = await startProxy(chain.wsUrl);
    const at = `0x${'c1'.repeat(20)}` as const;
    await chain.client.setCode({ address: at, bytecode: `0x${isDigest}${MAGIC}02${RETURN_WORD}` });
    const own = createWalletLogin({ db: database.db, rpcUrls: [proxy.url], publicUrl });
    const logIn = async () => {
      const message = await own.createMessage(browser, at);
      return own.verify(browser, { message, signature: hashMessage(message) });
    };
    expect(await logIn()).toBe(getAddress(at));
    proxy.stop();
    await expect(logIn()).rejects.toThrow(ServiceChainUnavailableError);
    await delay(3_000);
    await expect(logIn()).rejects.toThrow(ServiceChainUnavailableError);
    await proxy.start();
    expect(await logIn()).toBe(getAddress(at));
    own.close();
  });

  test('limits the call to 1,000,000 gas', async () => {
    await logInAs(`0x5a620f424011${MAGIC}02${RETURN_WORD}`);
  });

  test('reads only the first word of a large answer', async () => {
    await logInAs(`0x${MAGIC}600052620186a06000f3`);
  });

  test.each<[string, Hex]>([
    ['zero', `0x6000${RETURN_WORD}`],
    ['true', `0x6001${RETURN_WORD}`],
    ['the magic value right-aligned', `0x631626ba7e${RETURN_WORD}`],
    ['the magic value with trailing data', `0x6001${MAGIC}17${RETURN_WORD}`],
    ['four bytes', `0x${MAGIC}60005260046000f3`],
    ['a revert', '0x60006000fd'],
    ['a revert with the magic value', `0x${MAGIC}60005260206000fd`],
    ['an endless loop', '0x5b600056'],
    ['an invalid opcode', '0xfe'],
    ['an address without code', '0x'],
  ])('rejects %s', async (_what, code) => {
    await expectRefused(logInAs(code), /not from this wallet/);
  });

  test('rejects what one node of three accepts, and accepts what one of three rejects', async () => {
    await using liar = await rpcProxy(chain.url);
    const rpcUrls = [liar.url, chain.url, chain.url];
    const lie = (answer: Hex) => {
      liar.lie = ({ method }, result) => (method === 'eth_call' ? answer : result);
    };
    lie(`0x1626ba7e${'00'.repeat(28)}`);
    await expectRefused(logInAs('0x', rpcUrls), /not from this wallet/);
    lie('0x');
    await logInAs(`0x${isDigest}${MAGIC}02${RETURN_WORD}`, rpcUrls);
  });

  test('rejects with ServiceChainUnavailableError when the node is down', async () => {
    const own = createWalletLogin({
      db: database.db,
      rpcUrls: [`http://127.0.0.1:${await freePort()}`],
      publicUrl,
    });
    await expect(own.createMessage(browser, wallet.address)).rejects.toThrow(ServiceChainUnavailableError);
  });

  test('rejects with ServiceChainUnavailableError when the node hangs for five seconds', async () => {
    const sockets = new Set<import('node:net').Socket>();
    const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as import('node:net').AddressInfo;
    const own = createWalletLogin({ db: database.db, rpcUrls: [`http://127.0.0.1:${port}`], publicUrl });
    const start = Date.now();
    await expect(own.createMessage(browser, wallet.address)).rejects.toThrow(ServiceChainUnavailableError);
    expect(Date.now() - start).toBeGreaterThan(4_900);
    expect(Date.now() - start).toBeLessThan(8_000);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
