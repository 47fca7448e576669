/** The pages in Debian's Chromium. */
import { existsSync } from 'node:fs';
import { walletIdentity } from '@latchkey/protocol';
import { type Chain, startChain } from '@latchkey/testing/chain';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Hex, hexToString, numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs, triggers, users } from '../src/db/schema.ts';
import { accountKey, type ServiceWithAccounts, startAgent, startWithAccounts } from './browsers.ts';

const executablePath = '/usr/bin/chromium';
const isInstalled = existsSync(executablePath);
if (!isInstalled) console.warn(`Skipped the browser tests: ${executablePath} is not installed.`);

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`);

describe.skipIf(!isInstalled)('in a browser', () => {
  let chain: Chain;
  let service: ServiceWithAccounts;
  let browser: Browser;
  beforeAll(async () => {
    chain = await startChain();
    service = await startWithAccounts({ SERVICE_RPC_URL: chain.url });
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.dispose();
    await chain?.[Symbol.asyncDispose]();
  });

  /** Opens a page in a new profile. `violations` collects policy violations and errors of scripts. */
  async function visit(path: string, { javaScriptEnabled = true } = {}) {
    const context = await browser.newContext({ javaScriptEnabled, baseURL: service.url });
    const page = await context.newPage();
    const violations: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') violations.push(message.text());
    });
    page.on('pageerror', (error) => violations.push(error.message));
    await page.goto(path);
    return { context, page, violations };
  }
  const logIn = async (page: Page) => {
    await page.getByLabel('Account key').fill(accountKey);
    await page.getByRole('button', { name: 'Log in with the account key' }).click();
  };
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();

  test('a user logs in and approves an agent without JavaScript', async () => {
    const agent = await startAgent(service, 'laptop');
    const { context, page } = await visit(agent.path, { javaScriptEnabled: false });
    expect(await heading(page)).toBe('Log in');
    await logIn(page);
    expect(await heading(page)).toBe('Approve an agent');
    expect(await page.getByText(agent.userCode).count()).toBe(1);
    expect(await page.getByText('laptop').count()).toBe(1);
    expect(await (await agent.complete()).json()).toEqual({ status: 'pending' });
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await heading(page)).toBe('Agent approved');
    expect(await (await agent.complete()).json()).toEqual({ status: 'authorized' });
    expect((await agent.me()).status).toBe(200);
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    expect((await agent.me()).status).toBe(401);
    await page.getByRole('button', { name: 'Log out' }).click();
    expect(await heading(page)).toBe('Log in');
    await page.goto('/');
    expect(await heading(page)).toBe('Log in');
    await context.close();
  });

  /** Injects a wallet extension. The key stays outside of the page. */
  async function injectWallet(page: Page, sign: (message: string) => Promise<string>) {
    await page.exposeFunction('signWithTestKey', (data: Hex) => sign(hexToString(data)));
    await page.addInitScript((address) => {
      const request = async ({ method, params }: { method: string; params?: string[] }) => {
        if (method === 'eth_requestAccounts') return [address];
        if (method !== 'personal_sign' || params?.[1] !== address) throw new Error(`unexpected ${method}`);
        return (
          globalThis as unknown as { signWithTestKey: (data: string) => Promise<string> }
        ).signWithTestKey(params[0] ?? '');
      };
      Object.assign(globalThis, { ethereum: { request } });
    }, wallet.address.toLowerCase());
    await page.reload();
  }
  const walletButton = (page: Page) => page.getByRole('button', { name: 'Log in with a wallet' });

  test('a wallet logs in and sees its triggers, runs and a run', async () => {
    const { context, page, violations } = await visit('/login');
    const asked: string[] = [];
    await injectWallet(page, (message) => {
      asked.push(message);
      return wallet.signMessage({ message });
    });
    await walletButton(page).click();
    await page.getByRole('heading', { name: 'Triggers' }).waitFor();
    expect(asked).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+ wants you to sign in/)]);

    const [user] = await service.db.select().from(users);
    expect(user?.account).toBeDefined();
    const account = numberToHex(walletIdentity(wallet.address), { size: 32 });
    const own = (await service.db.select().from(users)).find((other) => other.account === account);
    const [trigger] = await service.db
      .insert(triggers)
      .values({
        userId: own?.id ?? '',
        name: 'orders <script>document.title="owned"</script>',
        kind: 'webhook',
        defaultParams: {},
        usageApiKey: 'sealed',
        maxRunsPerMinute: 60,
        maxQueuedRuns: 100,
        maxConcurrentRuns: 1,
        config: {},
        enabled: false,
      })
      .returning();
    await service.db.insert(runs).values({
      triggerId: trigger?.id ?? '',
      userId: own?.id ?? '',
      status: 'failed',
      input: {},
      logs: 'looked at 7 orders',
      error: { name: 'TypeError', message: 'no such order', stack: 'TypeError: no such order\n  at main' },
    });
    await page.reload();
    await page.getByRole('link', { name: 'orders' }).click();
    await page.getByRole('row', { name: 'no such order' }).getByRole('link').click();
    expect(await heading(page)).toBe('Run');
    expect(await page.getByText('at main').count()).toBe(1);
    expect(await page.getByText('looked at 7 orders').count()).toBe(1);
    expect(await page.title()).toBe('Run · Latchkey triggers');
    expect(violations).toEqual([]);
    await context.close();
  });

  test('a wallet login continues to the requested pairing', async () => {
    const agent = await startAgent(service);
    const { context, page } = await visit(agent.path);
    await injectWallet(page, (message) => wallet.signMessage({ message }));
    await walletButton(page).click();
    await page.getByRole('heading', { name: 'Approve an agent' }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await heading(page)).toBe('Agent approved');
    await context.close();
  });

  test('the page shows why a wallet login fails', async () => {
    const { context, page } = await visit('/login');
    const failure = page.getByRole('alert');
    await walletButton(page).click();
    await expect.poll(() => failure.textContent()).toBe('No wallet extension found in this browser.');
    const stranger = privateKeyToAccount(`0x${'22'.repeat(32)}`);
    await injectWallet(page, (message) => stranger.signMessage({ message }));
    await walletButton(page).click();
    await expect.poll(() => failure.textContent()).toBe('Wallet signature rejected.');
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['browser']);
    await context.close();
  });

  test('another site can neither frame the pages nor submit their forms', async () => {
    const agent = await startAgent(service);
    const { context, page } = await visit('/login');
    await logIn(page);
    await page.getByRole('heading', { name: 'Triggers' }).waitFor();
    // localhost is another site than 127.0.0.1.
    const elsewhere = service.url.replace('127.0.0.1', 'localhost');
    const evil = await context.newPage();
    await evil.route(`${elsewhere}/evil`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${service.url}${agent.path}"></iframe>
<form method="post" action="${service.url}/agent/authorize"><input name="code" value="${agent.code}">
<input name="csrf" value="guess"><button>Win</button></form>`,
      }),
    );
    await evil.goto(`${elsewhere}/evil`);
    await expect.poll(() => evil.frames().length).toBe(2);
    await expect.poll(() => evil.frames()[1]?.url()).toMatch(/^chrome-error:/);
    await evil.getByRole('button', { name: 'Win' }).click();
    // The SameSite cookie is not sent.
    expect(await evil.getByRole('alert').textContent()).toBe('You are not logged in.');
    expect(await (await agent.complete()).json()).toEqual({ status: 'pending' });
    await context.close();
  });
});
