/** Credit by key and by wallet, caps of usage keys, and errors without credit. */
import { inspect } from 'node:util';
import { createWalletClient, http, type LocalAccount, UserRejectedRequestError } from 'viem';
import { toAccount } from 'viem/accounts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type ApiClient,
  type ChainSecuredClient,
  createClient,
  HttpError,
  type LatchkeyError,
  type PageParameters,
  SignatureRejectedError,
  usageKeyHash,
} from '../src/index.ts';
import { chain, newApiClient, newChainSecuredClient, newWallet, payByCard, stack } from './clients.ts';
import { createProxy } from './proxy.ts';

const run = { code: 'function main() { return "ran"; }' };
const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: LatchkeyError) => error,
  );

const modes: [string, () => Promise<ApiClient | ChainSecuredClient>][] = [
  ['API mode', newApiClient],
  ['ChainSecured mode', () => newChainSecuredClient()],
];

describe.each(modes)('%s', (_mode, open) => {
  test('credits a payment once, however often it is confirmed', async () => {
    const client = await open();
    const before = await client.getBalance();
    const startedAtMs = Date.now();
    const payment = await payByCard(client);
    // The stand-in also sends its webhook, at any moment.
    for (let confirm = 0; confirm < 2; confirm++) await client.confirmPayment(payment);

    const { creditMicros, balanceCents, balanceDisplay } = await client.getBalance();
    expect(creditMicros).toBe(before.creditMicros + 5_000_000n);
    expect(balanceCents).toBe(-Number(creditMicros / 10_000n));
    expect(balanceDisplay).toBe(`$${(-balanceCents / 100).toFixed(2)} credit`);
    const { items, total } = await client.listLedger();
    expect(items).toHaveLength(total as number);
    const [latest] = items;
    expect(latest).toEqual({
      number: total,
      kind: 'credit',
      amountMicros: 5_000_000n,
      availableMicrosAfter: creditMicros,
      reason: expect.stringContaining(payment.paymentIntentId),
      createdAt: expect.any(Date),
    });
    // The clock of the database can differ.
    expect(Math.abs((latest?.createdAt.getTime() ?? 0) - startedAtMs)).toBeLessThan(60_000);
  });

  test('lists a run in the ledger, page by page', async () => {
    const client = await open();
    await client.confirmPayment(await payByCard(client));
    const { usageKey } = await client.addUsageApiKey({ executeInGroups: [0n] });
    await client.runAction({ ...run, usageKey });
    const [end, begin] = (await client.listLedger({ pageSize: 2 })).items;
    expect(end).toMatchObject({ reserve: expect.any(Number), keyHash: usageKeyHash(usageKey) });
    expect(begin?.keyHash).toBe(usageKeyHash(usageKey));

    const whole = (await client.listLedger()).items;
    expect(whole.find(({ kind }) => kind === 'capture')).toMatchObject({
      amountMicros: end?.amountMicros,
    });
    expect(whole.at(-1)).toMatchObject({ number: 1, kind: 'credit', reserve: undefined });
    const paged = [];
    for (let next: PageParameters | undefined = { pageSize: 2 }; next; ) {
      const { items, nextPage, total } = await client.listLedger(next);
      expect(total).toBe(whole.length);
      paged.push(...items);
      next = nextPage;
    }
    expect(paged).toEqual(whole);
    expect(await catchError(client.listLedger({ pageSize: 0 }))).toMatchObject({ code: 'configuration' });
  });

  test('does not credit payments that are unpaid or of another account', async () => {
    const [client, other] = [await open(), await newApiClient()];
    const { creditMicros } = await client.getBalance();
    const begun = await client.createPaymentIntent({ amountCents: 500 });
    expect(begun.clientSecret).toContain(begun.paymentIntentId);
    for (const payment of [begun, await payByCard(client, 'pm_card_chargeDeclined')])
      expect(await catchError(client.confirmPayment(payment))).toMatchObject({
        name: 'HttpError',
        code: 'conflict',
        fix: expect.any(String),
      });
    const theirs = await payByCard(other);
    expect(await catchError(client.confirmPayment(theirs))).toMatchObject({ code: 'not_found' });
    expect(await catchError(client.createPaymentIntent({ amountCents: 499 }))).toMatchObject({
      code: 'bad_request',
    });
    expect((await client.getBalance()).creditMicros).toBe(creditMicros);
  });

  test('one Idempotency-Key creates one payment', async () => {
    const client = await open();
    const begin = (idempotencyKey?: string) =>
      client.createPaymentIntent({ amountCents: 500 }, { idempotencyKey });
    const first = await begin('mine');
    expect(await begin('mine')).toEqual(first);
    expect((await begin()).paymentIntentId).not.toBe(first.paymentIntentId);
  });

  test('a usage key reads the balance and nothing else', async () => {
    const client = await open();
    await client.confirmPayment(await payByCard(client));
    const { usageKey } = await client.addUsageApiKey({});
    const user = createClient({ url: stack.url, apiKey: usageKey });
    expect(await user.getBalance()).toEqual(await client.getBalance());
    for (const refused of [
      () => user.listLedger(),
      () => user.createPaymentIntent({ amountCents: 500 }),
      () => user.confirmPayment({ paymentIntentId: 'pi_1' }),
    ])
      expect(await catchError(refused())).toMatchObject({ code: 'forbidden', status: 403 });
  });
});

describe('the wallet', () => {
  /** Returns a ChainSecured client whose wallet signs typed data with `sign`, and counts the requests to sign. */
  async function openAsked(sign?: (signed: () => Promise<`0x${string}`>) => Promise<`0x${string}`>) {
    const wallet = await newWallet();
    const local = wallet.account as LocalAccount;
    const signTypedData = vi.fn((data: never) =>
      sign ? sign(() => local.signTypedData(data)) : local.signTypedData(data),
    );
    const account = toAccount({ ...local, signTypedData: signTypedData as never });
    const asked = createWalletClient({ account, chain, transport: http(stack.rpcUrl), pollingInterval: 50 });
    const client = createClient({ url: stack.url, wallet: asked });
    await client.newAccount({ name: 'asked', description: '' });
    return { client, signTypedData };
  }

  test('signs once in 240 seconds', async () => {
    const { client, signTypedData } = await openAsked();
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await Promise.all([client.getBalance(), client.listLedger(), client.getBalance()]);
    await client.createPaymentIntent({ amountCents: 500 });
    vi.advanceTimersByTime(239_000);
    await client.getBalance();
    expect(signTypedData).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2_000);
    await client.getBalance();
    await client.getBalance();
    expect(signTypedData).toHaveBeenCalledTimes(2);
    expect(signTypedData.mock.lastCall?.[0]).toMatchObject({ primaryType: 'BillingAuth' });
  });

  test('is asked again after it refused', async () => {
    let isRefusing = true;
    const { client, signTypedData } = await openAsked(async (signed) => {
      if (isRefusing) throw new UserRejectedRequestError(new Error('no'));
      return signed();
    });
    expect(await catchError(client.getBalance())).toBeInstanceOf(SignatureRejectedError);
    isRefusing = false;
    expect(await client.getBalance()).toEqual({
      balanceCents: 0,
      balanceDisplay: 'No credits',
      creditMicros: 0n,
    });
    expect(signTypedData).toHaveBeenCalledTimes(2);
  });

  test('is asked once for several calls, also when one is aborted', async () => {
    const { promise: consent, resolve } = Promise.withResolvers<void>();
    const { client, signTypedData } = await openAsked(async (signed) => {
      await consent;
      return signed();
    });
    const controller = new AbortController();
    const aborted = catchError(client.getBalance({ signal: controller.signal }));
    const waiting = client.getBalance();
    await vi.waitUntil(() => signTypedData.mock.calls.length > 0);
    controller.abort();
    expect(await aborted).toMatchObject({ code: 'aborted' });
    resolve();
    expect(await waiting).toMatchObject({ creditMicros: 0n });
    expect(signTypedData).toHaveBeenCalledTimes(1);
  });

  test('has its proof in no printed client, and only in requests about credit', async () => {
    const sent: [string, string | null][] = [];
    const watched: typeof fetch = (input, init) => {
      sent.push([new URL(String(input)).pathname, new Headers(init?.headers).get('x-wallet-auth')]);
      return fetch(input, init);
    };
    const wallet = await newWallet();
    const client = createClient({ url: stack.url, wallet, indexerUrl: stack.indexerUrl, fetch: watched });
    await client.newAccount({ name: 'a', description: '' });
    await client.getBalance();
    await client.listGroups();
    await client.getProcessorConfig();
    const proved = sent.filter(([, proof]) => proof !== null);
    expect(proved).toEqual([['/core/v1/billing/balance', expect.any(String)]]);
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(proved[0]?.[1]);
  });

  test('must own an account', async () => {
    const client = createClient({ url: stack.url, wallet: await newWallet() });
    expect(await catchError(client.getBalance())).toMatchObject({ code: 'unauthorized', status: 401 });
  });
});

describe('402', () => {
  test('reports missing credit immediately; with credit the run starts', async () => {
    const own = await newChainSecuredClient();
    const { usageKey } = await own.addUsageApiKey({ executeInGroups: [0n] });
    await using proxy = await createProxy(stack.url, () => 'pass');
    const client = createClient({ url: proxy.url, apiKey: usageKey });
    const error = await catchError(client.runAction(run));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({
      code: 'payment_required',
      status: 402,
      fix: expect.stringContaining('billing/create_payment_intent'),
      retryAfterSec: undefined,
    });
    expect(proxy.requests()).toBe(1);
    await own.confirmPayment(await payByCard(own));
    expect(await client.runAction(run)).toMatchObject({ response: 'ran' });
  });

  test('reports when a spend cap frees', async () => {
    const owner = await newApiClient();
    const { usageKey } = await owner.addUsageApiKey({
      executeInGroups: [0n],
      spendCapCents: 1,
      spendWindowSeconds: 3_600,
    });
    const client = createClient({ url: stack.url, apiKey: usageKey });
    await client.runAction(run);
    const error = await catchError(client.runAction(run));
    expect(error).toMatchObject({ name: 'HttpError', code: 'payment_required', status: 402 });
    const { retryAfterSec = 0 } = error as HttpError;
    expect(retryAfterSec).toBeGreaterThan(3_500);
    expect(retryAfterSec).toBeLessThanOrEqual(3_600);
  });
});

describe('caps', () => {
  const caps = { spendCapCents: 500, spendWindowSeconds: 3_600, maxRunsPerMinute: 5, maxConcurrency: 2 };

  test('are set, listed, kept by an update from a list entry, and removed by an update that clears them', async () => {
    const client = await newApiClient();
    const prepared = await client.prepare.addUsageApiKey({ name: 'capped', ...caps });
    expect(prepared.changes).toEqual([
      'Creates the usage key “capped”.',
      'It is permitted to do nothing.',
      'It can spend at most 500 cents per window of 3600 seconds.',
      'It can begin at most 5 runs per minute.',
      'It can have at most 2 concurrent runs.',
      'It does not expire.',
    ]);
    const { usageKey } = await prepared.send();
    const listed = async () => {
      const [item] = (await client.listApiKeys()).items;
      if (!item) throw new Error('the key is not listed');
      return item;
    };
    expect(await listed()).toMatchObject({ name: 'capped', ...caps });
    await client.updateUsageApiKey({ ...(await listed()), usageKey, name: 'renamed' });
    expect(await listed()).toMatchObject({ name: 'renamed', ...caps });
    const total = {
      ...(await listed()),
      usageKey,
      spendCapCents: 7,
      spendWindowSeconds: undefined,
      maxRunsPerMinute: undefined,
      maxConcurrency: undefined,
    };
    const { changes } = await client.prepare.updateUsageApiKey(total);
    expect(changes).toContain('It can spend at most 7 cents altogether.');
    await client.updateUsageApiKey(total);
    expect(await listed()).toMatchObject({
      spendCapCents: 7,
      spendWindowSeconds: undefined,
      maxRunsPerMinute: undefined,
      maxConcurrency: undefined,
    });
  });

  test('of a ChainSecured account are refused before signing', async () => {
    const client = await newChainSecuredClient();
    const { usageKey } = await client.addUsageApiKey({});
    const [listed] = (await client.listApiKeys()).items;
    if (!listed) throw new Error('the key is not listed');
    const key = { ...listed, usageKey, name: '', description: '' };
    const wallet = client.internals.wallet.account as LocalAccount;
    const signing = [vi.spyOn(wallet, 'signTypedData'), vi.spyOn(wallet, 'signTransaction')];
    for (const [cap, value] of Object.entries(caps)) {
      const parameters = { [cap]: value } as object;
      for (const refused of [
        () => client.addUsageApiKey(parameters),
        () => client.prepare.addUsageApiKey(parameters, { simulate: false }),
        () => client.updateUsageApiKey({ ...key, ...parameters }),
      ])
        expect(await catchError(refused())).toMatchObject({
          code: 'configuration',
          message: `${cap} is not available in ChainSecured mode: the contract does not store caps of usage keys`,
          fix: expect.stringContaining('API mode'),
        });
    }
    for (const spy of signing) expect(spy).not.toHaveBeenCalled();
    expect((await client.listApiKeys()).items).toHaveLength(1);
  });
});
