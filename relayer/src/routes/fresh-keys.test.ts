import {
  accountConfigAbi,
  accountWalletAddress,
  apiKeyFromBytes,
  apiKeyHash,
  walletIdentity,
} from '@latchkey/protocol';
import { createLogger } from '@latchkey/service/logger';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import { until } from '@latchkey/testing/until';
import { type Address, decodeFunctionData, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { accountCall, ETHER, openOutboxFixture } from '../../test/outbox-fixture.ts';
import { createConsentSigner } from '../auth/consent.ts';
import { availableMicros, move } from '../billing/ledger.ts';
import { createViews, createWrite, encodeWrite } from '../chain/account-config.ts';
import { createRequestSeeds } from '../db/request-seeds.ts';
import { rootSecretsFrom } from '../keys/root-secrets.ts';
import { newAccount } from './accounts/new_account.ts';
import { rotateAccountKey } from './accounts/rotate_account_key.ts';
import { addUsageApiKey } from './usage-keys/add_usage_api_key.ts';
import { rotateUsageApiKey } from './usage-keys/rotate_usage_api_key.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const CREDIT = 1_000_000n;
const WRITE_MICROS = 10_000n;
const none = ['', '', false, false, false, [], [], [], []] as const;
const sealer = rootSecretsFrom(new Uint8Array(32).fill(1)).sealer('test');
/** Watches the mempool, and registers the hashes of others in an account of its own. */
const observer = privateKeyToAccount(generatePrivateKey());
const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };

let nonce = 0;
let taken: bigint[] = [];
const sendAsObserver = async (data: Hex) => {
  const transaction = {
    type: 'eip1559',
    chainId: 31_337,
    to: fixture.contract,
    data,
    gas: 500_000n,
  } as const;
  const serializedTransaction = await observer.signTransaction({ ...transaction, ...fees, nonce });
  nonce++;
  return fixture.anvil.client.sendRawTransaction({ serializedTransaction });
};
const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 1 }));
const payers = fixture.payers();
beforeAll(async () => {
  await payers.start();
  await fixture.anvil.client.setBalance({ address: observer.address, value: 100n * ETHER });
  await sendAsObserver(encodeWrite('newChainSecuredAccount', ['', '']));
});

const context = () => ({
  requestSeeds: createRequestSeeds(fixture.db, sealer),
  accountConfig: { ...createViews(fixture.chain, fixture.contract), write: createWrite(payers) },
});
const requestOf = (account: bigint, body: object, idempotencyId?: string) =>
  ({
    body,
    caller: { hash: account, account },
    idempotencyId,
    setHeader: () => {},
    charge: () => {},
    log,
  }) as never;
const permissions = addUsageApiKey.body?.parse({}) as object;
const add = (account: bigint, id?: string) =>
  addUsageApiKey.handle(context(), requestOf(account, permissions, id));

/** Opens an account with credit. */
async function open(name: string): Promise<bigint> {
  const call = accountCall(name);
  await payers.send(call);
  await move(fixture.db, call.account, 'credit', CREDIT, { externalId: name, reason: 'test' });
  return call.account;
}

const resolveKey = async (key: string): Promise<bigint> => {
  const [master] = await context().accountConfig.read('resolve', [apiKeyHash(key)]);
  return master;
};

/** The hash of the new key in the calldata of a payer. */
function newHash(data: Hex): bigint {
  const { functionName, args } = decodeFunctionData({ abi: accountConfigAbi, data });
  if (functionName === 'newAccount') return args[0];
  if (functionName === 'setUsageApiKey' || functionName === 'rotateAccountKey') return args[1];
  if (functionName === 'rotateUsageApiKey') return args[2];
  throw new Error(`no new key in ${functionName}`);
}

async function pendingOfPayer(): Promise<Hex | undefined> {
  const { pending } = await fixture.anvil.client.getTxpoolContent();
  const payer = fixture.addresses[0]?.toLowerCase() as Address;
  const [transaction] = Object.entries(pending).flatMap(([from, byNonce]) =>
    from.toLowerCase() === payer ? Object.values(byNonce) : [],
  );
  return transaction?.input;
}

/** Runs `work`, and takes the hash of each of its first `times` pending transactions before it is mined. */
async function observed<T>(times: number, work: () => Promise<T>): Promise<T> {
  const { client } = fixture.anvil;
  taken = [];
  await client.setAutomine(false);
  let isEnded = false;
  const result = work().finally(() => {
    isEnded = true;
  });
  result.catch(() => {});
  try {
    while (!isEnded) {
      const data = await until('a pending transaction, or the end', async () => isEnded || pendingOfPayer());
      if (typeof data !== 'string') break;
      if (taken.length < times) {
        taken.push(newHash(data));
        const own = walletIdentity(observer.address);
        await sendAsObserver(encodeWrite('setUsageApiKey', [own, newHash(data), 0n, 0n, ...none]));
      }
      await client.mine({ blocks: 1 });
    }
    return await result;
  } finally {
    await client.setAutomine(true);
  }
}

describe('an observer registers the hash of a pending new key first', () => {
  test('rotate_usage_api_key succeeds with another key, and a retry returns that key', async () => {
    const account = await open('rotates');
    const { usage_api_key: old } = await add(account);
    const before = await availableMicros(fixture.db, account);
    const rotate = () =>
      rotateUsageApiKey.handle(context(), requestOf(account, { usage_api_key: apiKeyHash(old) }, 'rotates'));
    const { usage_api_key: key = '' } = await observed(2, rotate);
    expect(taken).toHaveLength(2);
    expect(taken).not.toContain(apiKeyHash(key));
    expect(await resolveKey(key)).toBe(account);
    expect(await resolveKey(old)).toBe(0n);
    expect(await availableMicros(fixture.db, account)).toBe(before - WRITE_MICROS);
    expect(await rotate()).toMatchObject({ usage_api_key: key });
    expect(await availableMicros(fixture.db, account)).toBe(before - WRITE_MICROS);
  });

  test('add_usage_api_key succeeds with the fifth key', async () => {
    const account = await open('adds');
    const { usage_api_key: key } = await observed(4, () => add(account));
    expect(taken).toHaveLength(4);
    expect(await resolveKey(key)).toBe(account);
  });

  test('new_account succeeds with another key, and counts the gas of the reverted transaction', async () => {
    const settle = vi.fn(async (_gas: bigint) => {});
    const newAccounts = { admit: async () => ({ settle }), challenge: () => expect.unreachable() };
    const body = { account_name: 'first', account_description: '' };
    const request = { body, headers: {}, ip: '192.0.2.1', requestId: 'one', setHeader: () => {}, log };
    const stubs = { newAccounts, giveStarterCredit: async () => {}, log };
    const first = await fixture.anvil.client.getBlockNumber();
    const reply = await observed(1, async () =>
      newAccount.handle({ ...context(), ...stubs } as never, request as never),
    );
    const { api_key: key } = reply as { api_key: string };
    expect(await resolveKey(key)).toBe(apiKeyHash(key));
    const blocks = [first + 1n, first + 2n].map((blockNumber) =>
      fixture.anvil.client.getBlock({ blockNumber, includeTransactions: true }),
    );
    const sent = (await Promise.all(blocks)).flatMap(({ transactions }) => transactions);
    const ofPayer = sent.filter(({ from }) => from === fixture.addresses[0]?.toLowerCase());
    const receipts = ofPayer.map(({ hash }) => fixture.anvil.client.getTransactionReceipt({ hash }));
    const gas = (await Promise.all(receipts)).map(({ gasUsed }) => gasUsed);
    expect(gas).toHaveLength(2);
    expect(settle.mock.calls).toEqual([[gas.reduce((sum, used) => sum + used)]]);
  });

  test('returns 409 after five keys, and charges nothing', async () => {
    const account = await open('gives up');
    const failed = observed(9, () => add(account, 'gives up'));
    await expect(failed).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('5 new keys'),
      fix: expect.stringContaining('Nothing was charged'),
    });
    expect(new Set(taken).size).toBe(5);
    expect(await availableMicros(fixture.db, account)).toBe(CREDIT);
  });

  test('returns 409 for a key of the caller, which is not replaced, and charges nothing', async () => {
    const key = apiKeyFromBytes(new Uint8Array(32).fill(9));
    const account = apiKeyHash(key);
    const opening = encodeWrite('newAccount', [account, true, '', '', accountWalletAddress(key)]);
    await payers.send({ ...accountCall('own key'), account, data: opening });
    await move(fixture.db, account, 'credit', CREDIT, { externalId: 'own key', reason: 'test' });
    const body = { new_api_key: apiKeyHash('own new key'), new_wallet_address: observer.address };
    const signConsent = createConsentSigner({ chainId: 31_337, address: fixture.contract }, key);
    const request = {
      body,
      caller: { hash: account, account, signConsent },
      idempotencyId: undefined,
      setHeader: () => {},
      log,
    } as never;
    const failed = observed(9, () => rotateAccountKey.handle(context(), request));
    await expect(failed).rejects.toMatchObject({
      status: 409,
      message: 'new_api_key: the key is or was in use.',
      fix: expect.stringContaining('Make another key'),
    });
    expect(taken).toEqual([body.new_api_key]);
    expect(await availableMicros(fixture.db, account)).toBe(CREDIT);
  });
});
