/** The pages in Debian's Chromium. */
import { walletIdentity } from '@latchkey/protocol';
import { type Chain, startChain } from '@latchkey/testing/chain';
import { hasChromium, launchChromium } from '@latchkey/testing/chromium';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Hex, hexToString, numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountKey, type ServiceWithAccounts, startAgent, startWithAccounts } from './browsers.ts';

const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`);

describe.runIf(hasChromium)('in a browser', () => {
  let chain: Chain;
  let service: ServiceWithAccounts;
  let browser: Browser;
  beforeAll(async () => {
    chain = await startChain();
    service = await startWithAccounts({ SERVICE_RPC_URL: chain.url });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.dispose();
    await chain?.[Symbol.asyncDispose]();
  });

  /** Opens a page in a new profile. `violations` collects policy violations and errors of scripts. */
  async function visit(path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ baseURL: service.url, ...options });
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
  /** The pixel in the corner, as the bytes of an image. */
  const background = async (page: Page): Promise<string> =>
    (await page.screenshot({ clip: { x: 0, y: 0, width: 1, height: 1 } })).toString('hex');
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
    await page.goto('/login');
    expect(await heading(page)).toBe('Logged in');
    await page.getByRole('button', { name: 'Log out' }).click();
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

  test('a wallet logs in as its identity', async () => {
    const { context, page, violations } = await visit('/login');
    const asked: string[] = [];
    await injectWallet(page, (message) => {
      asked.push(message);
      return wallet.signMessage({ message });
    });
    await walletButton(page).click();
    await page.getByRole('heading', { name: 'Logged in' }).waitFor();
    expect(asked).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+ wants you to sign in/)]);
    const account = numberToHex(walletIdentity(wallet.address), { size: 32 });
    expect(await page.getByText(account).isVisible()).toBe(true);
    expect(await page.title()).toBe('Logged in · Latchkey triggers');
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
    expect(await context.cookies()).toEqual([]);
    await context.close();
  });

  test('a wrong key leaves the form, and a denied agent is not paired, without JavaScript', async () => {
    const agent = await startAgent(service);
    const { context, page } = await visit(agent.path, { javaScriptEnabled: false });
    await page.getByLabel('Account key').fill('wrong');
    await page.getByRole('button', { name: 'Log in with the account key' }).click();
    expect(await page.getByRole('alert').first().textContent()).toContain('Unknown account key.');
    await logIn(page);
    await page.getByRole('button', { name: 'Deny' }).click();
    expect(await heading(page)).toBe('Agent denied');
    expect((await agent.complete()).status).toBe(404);
    await context.close();
  });

  test.each(['light', 'dark'] as const)(
    'on a phone, %s pages fit and have targets of 44 px',
    async (colorScheme) => {
      const agent = await startAgent(service, 'a'.repeat(128));
      const { context, page } = await visit('/login', { viewport: { width: 320, height: 640 }, colorScheme });
      /** Checks the page with this heading. Resolves to its background. */
      const check = async (name: string): Promise<string> => {
        await page.getByRole('heading', { level: 1, name }).waitFor();
        await page.waitForLoadState();
        const seen = await page.evaluate<{ small: string[]; isTooWide: boolean; count: number }>(`(() => {
          const targets = [...document.querySelectorAll('a, button, input:not([type=hidden]), summary')];
          const isSmall = (target) => {
            const { width, height } = target.getBoundingClientRect();
            return width > 0 && (width < 44 || height < 44);
          };
          return {
            small: targets.filter(isSmall).map((target) => target.outerHTML),
            isTooWide: document.documentElement.scrollWidth > innerWidth,
            count: targets.length,
          };
        })()`);
        expect(seen).toMatchObject({ small: [], isTooWide: false });
        expect(seen.count).toBeGreaterThan(0);
        return background(page);
      };
      const backgrounds = [await check('Log in')];
      await logIn(page);
      backgrounds.push(await check('Logged in'));
      await page.goto(agent.path);
      backgrounds.push(await check('Approve an agent'));
      await page.goto('/agent/authorize');
      backgrounds.push(await check('Request failed'));
      const blank = await context.newPage();
      await blank.setContent(`<style>:root { color-scheme: ${colorScheme} }</style>`);
      expect(new Set(backgrounds)).toEqual(new Set([await background(blank)]));
      await context.close();
    },
  );

  test('another origin, to which browsers send the cookie, can neither frame the pages nor submit their forms', async () => {
    const agent = await startAgent(service);
    const { context, page } = await visit('/login');
    await logIn(page);
    await page.getByRole('heading', { name: 'Logged in' }).waitFor();
    // Ports are of one site: SameSite does not keep the cookie back.
    const elsewhere = 'http://127.0.0.1:9';
    const evil = await context.newPage();
    await evil.route(`${elsewhere}/evil`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${service.url}${agent.path}"></iframe>
<form method="post" action="${service.url}/agent/authorize">
<input name="code" value="${agent.code}"><button>Win</button></form>`,
      }),
    );
    await evil.goto(`${elsewhere}/evil`);
    await expect.poll(() => evil.frames().length).toBe(2);
    await expect.poll(() => evil.frames()[1]?.url()).toMatch(/^chrome-error:/);
    await evil.getByRole('button', { name: 'Win' }).click();
    expect(await evil.getByRole('alert').textContent()).toBe('A page of another origin sent this request.');
    expect(await (await agent.complete()).json()).toEqual({ status: 'pending' });
    await context.close();
  });
});
