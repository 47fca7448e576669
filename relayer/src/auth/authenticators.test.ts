import { createRateLimit, HttpError } from '@latchkey/http';
import { apiKeyHash } from '@latchkey/protocol';
import { type Address, zeroAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import { authenticators } from './authenticators.ts';
import { WalletProofError } from './wallet-proof.ts';

const WALLET: Address = '0x1111111111111111111111111111111111111111';

/** Authenticators that look a key up. */
type Name = Exclude<keyof typeof authenticators, 'anyKeyText' | 'operator'>;
const { anyKeyText: _, operator: __, ...asking } = authenticators;
const names = Object.keys(asking) as Name[];
const walletNames = names.filter((name) => 'WalletAuth' in authenticators[name].schemes);

type Signed = { key?: string; proof?: object };

/** A relayer that permits each address one unknown key per minute. `found` is the key of every lookup. */
function createRelayer({
  found,
  wallet,
  unaccepted,
}: {
  found?: { isUsageKey: boolean; isAccepted?: boolean; managed?: boolean; expiration?: bigint };
  wallet?: Address;
  unaccepted?: bigint;
} = {}) {
  const questions: string[] = [];
  const key = found && {
    hash: 1n,
    account: 7n,
    adminWallet: zeroAddress,
    managed: true,
    expiration: 0n,
    minBlock: 0n,
    accountHead: 0n,
    block: 0n,
    isAccepted: true,
    ...found,
  };
  const find = async () => {
    questions.push('key');
    return key;
  };
  const context = {
    accountConfig: { chainId: 1, address: zeroAddress },
    keyRegistry: {
      find,
      findRecent: find,
      isKnown: () => false,
      findUnaccepted: async () => unaccepted,
    },
    unknownKeyLimit: createRateLimit({ name: 'test', points: 1, message: 'Too many.' }),
    verifyWallet: async () => {
      questions.push('wallet');
      if (wallet === undefined) throw new WalletProofError('signature');
      return wallet;
    },
  };
  /** Returns the status of the refusal, undefined when the caller is authenticated. */
  const send = async (name: Name, { key = 'k', proof }: Signed = {}): Promise<number | undefined> => {
    const header = Buffer.from(JSON.stringify(proof ?? null)).toString('base64');
    const headers = { 'x-api-key': key, ...(proof && { 'x-wallet-auth': header }) };
    const { signal } = new AbortController();
    const request = { ip: '192.0.2.1', method: 'GET', headers, requestId: '', signal, identify: () => {} };
    try {
      await authenticators[name].authenticate(context, request);
      return undefined;
    } catch (error) {
      if (error instanceof HttpError) return error.status;
      throw error;
    }
  };
  return { questions, send };
}

describe.each(names)('%s', (name) => {
  test('refuses the next unknown key of an address above its limit, and does not look it up', async () => {
    const { send, questions } = createRelayer();
    expect(await send(name, { key: 'first' })).toBe(401);
    expect(await send(name, { key: 'second' })).toBe(429);
    expect(questions).toEqual(['key']);
  });

  test.each([
    ['a usage key', true],
    ['an account key', false],
  ])('does not count %s that exists', async (_what, isUsageKey) => {
    const { send } = createRelayer({ found: { isUsageKey } });
    for (const key of ['first', 'second', 'third']) expect(await send(name, { key })).not.toBe(429);
  });
});

describe.each(walletNames)('%s', (name) => {
  const proof = { typed_data: {}, signature: '0x' };

  test.each([
    ['an invalid proof', {}, ['wallet']],
    ['the proof of a wallet without an account', { wallet: WALLET }, ['wallet', 'key']],
    [
      'the proof of a former admin wallet',
      { wallet: WALLET, found: { isUsageKey: false } },
      ['wallet', 'key'],
    ],
  ])('counts %s as an unknown key', async (_what, relayer, asked) => {
    const { send, questions } = createRelayer(relayer);
    expect(await send(name, { proof })).toBe(401);
    expect(await send(name, { proof })).toBe(429);
    expect(questions).toEqual(asked);
  });

  test('does not count the proof of an admin wallet', async () => {
    const found = { isUsageKey: false, adminWallet: WALLET };
    const { send } = createRelayer({ wallet: WALLET, found });
    for (let call = 0; call < 3; call++) expect(await send(name, { proof })).toBeUndefined();
  });

  test.each([
    ['that waits for the wallet', {}],
    ['that its identity names', { found: { isUsageKey: false, isAccepted: false, adminWallet: WALLET } }],
  ])('refuses an account %s with 403 until it is accepted, and counts it', async (_what, relayer) => {
    const { send } = createRelayer({ wallet: WALLET, unaccepted: 7n, ...relayer });
    expect(await send(name, { proof })).toBe(403);
    expect(await send(name, { proof })).toBe(429);
  });
});

describe.each([
  ['mintingKey', 403],
  ['runKey', undefined],
  ['keyOrWallet', undefined],
] as const)('%s of an account that was not accepted', (name, status) => {
  test(`a usage key: ${status ?? 'authenticated'}`, async () => {
    const { send } = createRelayer({ found: { isUsageKey: true, isAccepted: false, managed: false } });
    expect(await send(name)).toBe(status);
  });
});

describe('a key that expires', () => {
  const nowSec = BigInt(Math.floor(Date.now() / 1000));
  test.each([
    ['in the past', nowSec, 401],
    ['in a minute', nowSec + 60n, undefined],
    ['never', 0n, undefined],
  ])('%s', async (_when, expiration, status) => {
    for (const name of ['key', 'keyOrWallet', 'mintingKey', 'runKey'] as const)
      expect(await createRelayer({ found: { isUsageKey: true, expiration } }).send(name)).toBe(status);
  });
});

describe.each([
  ['anyKeyOrWallet', { usageKey: undefined, managedKey: undefined, formerKey: undefined }],
  ['anyAccountKeyOrWallet', { usageKey: 403, managedKey: undefined, formerKey: undefined }],
  ['keyOrWallet', { usageKey: undefined, managedKey: undefined, formerKey: 403 }],
  ['accountKeyOrWallet', { usageKey: 403, managedKey: undefined, formerKey: 403 }],
  ['runKey', { usageKey: undefined, managedKey: 403, formerKey: 403 }],
] as const)('%s', (name, expected) => {
  test.each([
    ['usageKey', { isUsageKey: true, managed: false }],
    ['usageKey', { isUsageKey: true, managed: true }],
    ['managedKey', { isUsageKey: false, managed: true }],
    ['formerKey', { isUsageKey: false, managed: false }],
  ] as const)('decides about a %s by its kind', async (kind, found) => {
    expect(await createRelayer({ found }).send(name)).toBe(expected[kind]);
  });
});

test.each([
  ['17', 17n],
  [undefined, 0n],
  ['17x', 0n],
])('looks the key of the request up at X-Min-Block: %s', async (minBlock, expected) => {
  const asked: unknown[] = [];
  const find = async (...args: unknown[]) => void asked.push(args);
  const keyRegistry = {
    find,
    findRecent: find,
    isKnown: () => true,
    findUnaccepted: async () => undefined,
  };
  const unknownKeyLimit = createRateLimit({ name: 'test', points: 1, message: 'Too many.' });
  const headers = { 'x-api-key': 'k', ...(minBlock && { 'x-min-block': minBlock }) };
  const { signal } = new AbortController();
  const request = { ip: '192.0.2.1', method: 'GET', headers, requestId: '', signal, identify: () => {} };
  for (const name of ['key', 'runKey'] as const)
    await expect(
      authenticators[name].authenticate({ keyRegistry, unknownKeyLimit }, request),
    ).rejects.toThrow();
  expect(asked).toEqual([
    [apiKeyHash('k'), expected],
    [apiKeyHash('k'), expected],
  ]);
});
