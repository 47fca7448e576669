/** The `npm run credit` command as a process, on its own database, with a chain and a Stripe stand-in. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { bundle } from '@latchkey/bundle';
import { accountConfigAbi, apiKeyHash, walletIdentity } from '@latchkey/protocol';
import { startStripe } from '@latchkey/stripe-stand-in';
import { SECRET_KEY, sdkFor } from '@latchkey/stripe-stand-in/testing';
import { type Chain, deploy, startChain } from '@latchkey/testing/chain';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { rpcProxy } from '@latchkey/testing/rpc-proxy';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '../test/database.ts';
import { listEntries } from './billing/ledger.ts';
import { hashText } from './db/text.ts';

// Each test starts processes of its own, which open a database.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const resources = new AsyncDisposableStack();
let chain: Chain;
let contract: Address;
let deployments: string;
let database: OpenTestDatabase;
/** An account on the chain, and a usage key that resolves to it. */
const account = apiKeyHash('the account');
const usageKey = apiKeyHash('its usage key');
/** An account that was transferred and not accepted. */
let unaccepted: bigint;

beforeAll(async () => {
  chain = resources.use(await startChain());
  deployments = resources.use(temporaryDirectory()).path;
  database = await openTestDatabase();
  resources.defer(database.dispose);
  const payer = privateKeyToAccount(generatePrivateKey());
  await chain.client.setBalance({ address: payer.address, value: 10n ** 20n });
  contract = await deploy(chain, deployments, [payer.address]);
  const write = (functionName: string, args: unknown[], account = payer) =>
    chain.client.writeContract({
      address: contract,
      abi: accountConfigAbi,
      functionName,
      args,
      account,
      chain: foundry,
    } as never);
  const wallet = privateKeyToAccount(generatePrivateKey()).address;
  await write('newAccount', [account, true, 'name', '', wallet]);
  const permissions = [false, false, false, [], [], [], []];
  await write('setUsageApiKey', [account, usageKey, 0n, 0n, '', '', ...permissions]);
  const giver = privateKeyToAccount(generatePrivateKey());
  await chain.client.setBalance({ address: giver.address, value: 10n ** 20n });
  unaccepted = walletIdentity(giver.address);
  await write('newChainSecuredAccount', ['', ''], giver);
  await write('transferChainSecuredAccountOwnership', [unaccepted, wallet], giver);
});
afterAll(() => resources.disposeAsync());

/** Runs the command. `settings` are added to the settings of the chain and the database. */
async function credit(args: string[], settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [await bundle('relayer/src/credit.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOME: process.env.HOME,
      RPC_URL: chain.url,
      DEPLOYMENTS_DIR: deployments,
      DATABASE_URL: database.url,
      ...settings,
    },
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [code, out, err] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

async function ledger() {
  const { entries } = await listEntries(database.db, account, { offset: 0, limit: 100 });
  return entries.map(({ kind, amountMicros, reason }) => [kind, amountMicros, reason]).reverse();
}

test('adds no credit to an account that was not accepted, and shows its balance', async () => {
  const hash = hashText(unaccepted);
  const { code, err } = await credit(['add', hash, '500', '--reason', 'a gift']);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining(`${hash} was transferred to a wallet`),
  });
  expect((await credit(['balance', hash])).out).toContain('(0 micro-credits)');
});

test('adds and reverses credit, once per --id, for any hash that resolves to the account', async () => {
  const hash = hashText(account);
  const add = ['add', hash, '500', '--reason', 'a gift', '--id', 'one'];
  expect(await credit(add)).toMatchObject({
    code: 0,
    out: `done, with --id one\n${hash}: $5.00 credit (5000000 micro-credits)\n`,
    err: '',
  });
  expect(await credit(add)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^--id one was already used: nothing changed\n.*: \$5\.00 credit/),
  });
  // The balance becomes negative when the credit was already spent.
  const reverse = ['reverse', hashText(usageKey), '700', '--reason', 'a mistake', '--id', 'two'];
  expect(await credit(reverse)).toMatchObject({
    code: 0,
    out: `done, with --id two\n${hash}: No credits (-2000000 micro-credits)\n`,
  });
  expect((await credit(reverse)).out).toMatch(/nothing changed/);
  expect(await ledger()).toEqual([
    ['credit', 5_000_000n, 'a gift'],
    ['reverse', 7_000_000n, 'a mistake'],
  ]);
});

test('an account that one RPC node of three names instead of the right one gets nothing', async () => {
  await using liar = await rpcProxy(chain.url);
  await using honest = await rpcProxy(chain.url);
  const [own, attacker] = [account, apiKeyHash('the account of an attacker')].map((hash) =>
    hashText(hash).slice(2),
  ) as [string, string];
  liar.lie = (_call, result) => (typeof result === 'string' ? result.replace(own, attacker) : result);
  const { out } = await credit(['add', hashText(account), '1', '--reason', 'a cent'], {
    RPC_URL: [liar.url, honest.url, chain.url].join(','),
  });
  expect(out).toContain(`\n${hashText(account)}: `);
});

test('without --id each call is a new movement, and prints its id', async () => {
  const add = ['add', hashText(account), '1', '--reason', 'a cent'];
  const before = (await ledger()).length;
  const ids = [await credit(add), await credit(add)].map(({ out }) => /--id (\S+)/.exec(out)?.[1]);
  expect(new Set(ids).size).toBe(2);
  expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect((await ledger()).slice(before)).toEqual([
    ['credit', 10_000n, 'a cent'],
    ['credit', 10_000n, 'a cent'],
  ]);
  expect((await credit(['balance', hashText(account)])).out).toBe(
    `${hashText(account)}: No credits (-1970000 micro-credits)\n`,
  );
});

describe('exits with 2 and changes nothing', () => {
  let before: unknown;
  beforeAll(async () => {
    before = await ledger();
  });
  afterAll(async () => {
    expect(await ledger()).toEqual(before);
  });
  const hash = () => hashText(account);
  const reason = ['--reason', 'r'];
  test.each<[what: string, args: () => string[], message: RegExp]>([
    ['an unknown command', () => ['give', hash()], /^unknown command: give/],
    ['an account that is not a hash', () => ['balance', '0x12'], /^<account>: expected 0x and 64 hex digits/],
    [
      'an unknown account',
      () => ['add', hashText(1n), '5', ...reason],
      /^<account>: no account on chain 31337 has the hash 0x/,
    ],
    ['an amount of zero', () => ['add', hash(), '0', ...reason], /^<cents>/],
    ['a fraction of a cent', () => ['add', hash(), '1.5', ...reason], /^<cents>/],
    ['a negative amount', () => ['reverse', hash(), '-5', ...reason], /'-5'/],
    ['an amount above the maximum', () => ['add', hash(), '1000000000', ...reason], /^<cents>/],
    ['a missing reason', () => ['reverse', hash(), '5'], /^--reason: required/],
    ['an unknown option', () => ['add', hash(), '5', ...reason, '--force'], /'--force'/],
    ['an invalid date', () => ['reconcile', '--since', 'yesterday'], /^--since: "yesterday" is not a date/],
    ['no card processor', () => ['reconcile'], /^no card processor is configured: set STRIPE_SECRET_KEY/],
  ])('%s', async (_what, args, message) => {
    const { code, out, err } = await credit(args());
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(message);
    // The output includes the usage text and no stack trace.
    expect(err).toContain('npm run credit -- add <account> <cents>');
    expect(err).not.toMatch(/\n {4}at /);
  });

  test('prints the usage text: exits with 2 without a command, with 0 for --help', async () => {
    const [none, help] = [await credit([]), await credit(['--help'])];
    expect([none.code, help.code]).toEqual([2, 0]);
    for (const { out } of [none, help]) expect(out).toContain('npm run credit -- reconcile');
  });

  test('names wrong settings without their values', async () => {
    const { code, err } = await credit(['balance', hash()], { STRIPE_SECRET_KEY: 'sk_test_hidden' });
    expect(code).toBe(2);
    expect(err).toBe(
      'STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRETS: required when another Stripe setting is set\n',
    );
  });

  test('does not print the password of DATABASE_URL when the database is down', async () => {
    const { code, err } = await credit(['balance', hash()], {
      DATABASE_URL: 'postgresql://latchkey:hidden@127.0.0.1:9/relayer',
    });
    expect(code).toBe(2);
    expect(err).toMatch(/ECONNREFUSED/);
    expect(err).not.toContain('hidden');
  });

  test('does not print the key in RPC_URL when the chain is down', async () => {
    const { code, err } = await credit(['balance', hash()], { RPC_URL: 'http://127.0.0.1:9/hidden' });
    expect(code).toBe(2);
    expect(err).toMatch(/chain|HTTP request failed/i);
    expect(err).not.toContain('hidden');
  });
});

describe('reconcile', () => {
  const stripeSettings = (url: string) => ({
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_PUBLISHABLE_KEY: 'pk_test_standin',
    STRIPE_WEBHOOK_SECRETS: 'whsec_hidden',
    STRIPE_API_URL: url,
  });

  test('reports a payment missing from the ledger in a dry run, and fixes it in the next run', async () => {
    await using standIn = await startStripe({ secretKey: SECRET_KEY, publishableKey: 'pk_test_standin' });
    const sdk = sdkFor(standIn.port, SECRET_KEY);
    const metadata = { account: hashText(account), deployment: `31337:${contract}` };
    const pay = (of: Record<string, string>) =>
      sdk.paymentIntents.create({
        amount: 900,
        currency: 'usd',
        payment_method: 'pm_card_visa',
        confirm: true,
        metadata: of,
      });
    const { id } = await pay(metadata);
    const { id: refund } = await sdk.refunds.create({ payment_intent: id, amount: 250 });
    // Payments of another deployment, and of none.
    await pay({ ...metadata, deployment: `1:${contract}` });
    await pay({});
    const before = await ledger();
    const run = (...args: string[]) => credit(['reconcile', ...args], stripeSettings(standIn.url));

    const line = (externalId: string, isFixed: boolean) =>
      `missing   ${metadata.account} stripe ${externalId}${isFixed ? ' (fixed)' : ''}`;
    const dry = await run('--dry-run');
    expect(dry.code).toBe(1);
    expect(dry.out.split('\n')).toEqual([
      line(id, false),
      line(refund, false),
      expect.stringMatching(/^1 payments since .*, 2 differences$/),
      '',
    ]);
    expect(await ledger()).toEqual(before);

    const fixed = await run();
    expect(fixed.code).toBe(1);
    expect(fixed.out.split('\n').slice(0, 2)).toEqual([line(id, true), line(refund, true)]);
    const after = [
      ...before,
      ['credit', 9_000_000n, `payment ${id}`],
      ['reverse', 2_500_000n, `refund ${refund}`],
    ];
    expect(await ledger()).toEqual(after);

    expect(await run()).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^1 payments .*, 0 differences\n$/),
    });
    // Payments before --since are ignored, unless the ledger has an entry for them since then.
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect((await run('--since', tomorrow)).out).toMatch(/^0 payments/);
    expect(await ledger()).toEqual(after);
    for (const { out, err } of [dry, fixed]) expect(out + err).not.toMatch(/hidden|sk_test/);
  });

  test('reports ledger entries of payments that the processor does not know, and keeps them', async () => {
    await using standIn = await startStripe({ secretKey: SECRET_KEY, publishableKey: 'pk_test_standin' });
    const before = await ledger();
    const { code, out } = await credit(['reconcile'], stripeSettings(standIn.url));
    expect(code).toBe(1);
    expect(out).toMatch(/^unknown {3}0x[0-9a-f]{64} stripe (pi|re)_\w+\nunknown /);
    expect(out).not.toContain('(fixed)');
    expect(await ledger()).toEqual(before);
  });

  test('exits with 2 without printing secrets when the processor is down', async () => {
    const { code, err } = await credit(['reconcile'], stripeSettings('http://127.0.0.1:9'));
    expect(code).toBe(2);
    expect(err).toContain('the request to the card processor failed');
    expect(err).not.toMatch(/sk_test|hidden/);
  });
});
