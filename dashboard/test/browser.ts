/** Chromium on the dashboard of the shared stack. */
import { launchChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import type { AdminWallet } from '@latchkey/testing/wallet-proof';
import type { Browser, Page } from 'playwright-core';
import { createPublicClient, type Hex, hashMessage, hashTypedData, http } from 'viem';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, expect } from 'vitest';

export { axeSource, expectAccessible, expectFits } from '@latchkey/testing/page-checks';

let browser: Browser | undefined;

/** Starts one browser for the tests of a file. */
export function useChromium(): void {
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
}

export type Options = {
  colorScheme?: 'light' | 'dark';
  width?: number;
  height?: number;
  path?: string;
  /** Passkeys belong to a domain. Default: the address of the stack. */
  host?: 'localhost';
  /** Other fields of `config.json`; undefined: without it. */
  config?: object;
};

/**
 * Opens the dashboard in a new context. The test fails for errors in the console, violations of the Content-Security-Policy, and
 * requests to any host but the stack's.
 */
export async function openDashboard({
  colorScheme = 'light',
  width = 1_280,
  height = 800,
  path = '/',
  host,
  config,
}: Options = {}) {
  if (!browser) throw new Error('call useChromium first');
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // Chromium logs replies with an error status, which pages show themselves.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1' && hostname !== host)
      faults.push(`request to ${hostname}`);
  });
  if (config)
    await page.route('**/config.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), ...config } });
    });
  const url = stack.dashboardUrl.replace('127.0.0.1', host ?? '127.0.0.1');
  const open = () => page.goto(url + path);
  return {
    page,
    url,
    open,
    /** A test that causes faults checks them and empties the list. */
    faults,
    [Symbol.asyncDispose]: async () => {
      await context.close();
      expect(faults).toEqual([]);
    },
  };
}

/** Gives the page an authenticator, whose user touches it and is verified when it is asked, unless told otherwise. */
export async function addAuthenticator(page: Page, { hasPrf = true }: { hasPrf?: boolean } = {}) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      hasPrf,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setVerified: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    credentials: async () =>
      (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    clear: () => devtools.send('WebAuthn.clearCredentials', { authenticatorId }),
  };
}

export async function signIn(page: Page, accountKey: string): Promise<void> {
  await page
    .getByLabel(/^Account key/)
    .and(page.locator('input[type=password]'))
    .fill(accountKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/**
 * A wallet that speaks EIP-1193. It consents to everything unless told not to. With little `gas` its transactions are mined and
 * revert.
 */
export function createTestWallet(admin: AdminWallet) {
  const chain = { ...foundry, id: stack.chainId };
  const node = createPublicClient({ chain, transport: http(stack.rpcUrl) });
  const sign: { [method: string]: (params: readonly unknown[]) => Promise<Hex> } = {
    eth_sendTransaction: ([call]) => {
      const { to, data } = call as { to: Hex; data: Hex };
      return admin.sendTransaction({ to, data, gas: wallet.gas });
    },
    eth_signTypedData_v4: ([, envelope]) => admin.signDigest(hashTypedData(JSON.parse(envelope as string))),
    personal_sign: ([message]) => admin.signDigest(hashMessage({ raw: message as Hex })),
  };
  const wallet = {
    ...admin,
    /** Methods that needed consent. */
    asked: [] as string[],
    refuses: false,
    gas: undefined as bigint | undefined,
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      switch (method) {
        case 'eth_requestAccounts':
        case 'eth_accounts':
          return [admin.address];
        case 'wallet_switchEthereumChain':
        case 'wallet_addEthereumChain':
          return null;
        case 'wallet_requestPermissions':
          return [{ parentCapability: 'eth_accounts' }];
      }
      if (!sign[method]) return node.request({ method, params } as never);
      wallet.asked.push(method);
      if (wallet.refuses) throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
      return sign[method](params);
    },
  };
  return wallet;
}

export type TestWallet = ReturnType<typeof createTestWallet>;

/** Installs a wallet, which announces itself (EIP-6963). */
export async function installWallet(page: Page, wallet: TestWallet): Promise<void> {
  await page.exposeFunction('askTestWallet', async (method: string, params: unknown[]) =>
    wallet.request({ method, params }).then(
      (result) => ({ result }),
      (error: { code?: number; message: string; data?: unknown }) => ({
        error: { code: error.code ?? -32_000, message: error.message, data: error.data },
      }),
    ),
  );
  await page.addInitScript(() => {
    const ask = (
      window as unknown as {
        askTestWallet: (
          method: string,
          params: unknown,
        ) => Promise<{ result?: unknown; error?: { code: number; message: string } }>;
      }
    ).askTestWallet;
    const listeners: { event: string; listener: (value: unknown) => void }[] = [];
    const emit = (name: string, value: unknown): void => {
      for (const { event, listener } of listeners) if (event === name) listener(value);
    };
    Object.assign(window, { emitTestWallet: emit });
    const provider = {
      request: async ({ method, params = [] }: { method: string; params?: unknown }) => {
        const { result, error } = await ask(method, params);
        if (error) throw Object.assign(new Error(error.message), error);
        return result;
      },
      on: (event: string, listener: (value: unknown) => void) => {
        listeners.push({ event, listener });
        return provider;
      },
      removeListener: () => provider,
    };
    const detail = Object.freeze({
      info: {
        uuid: '6b1d3c1e-3c5c-4a7e-9a50-0d8b1c1f2a33',
        name: 'Test wallet',
        rdns: 'test.wallet',
        icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
      provider,
    });
    const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  });
}

/** Lets the installed wallet emit an event of EIP-1193. */
export const emitWalletEvent = (page: Page, event: string, value: unknown): Promise<void> =>
  page.evaluate(
    ([name, detail]) =>
      (window as unknown as { emitTestWallet: (name: unknown, detail: unknown) => void }).emitTestWallet(
        name,
        detail,
      ),
    [event, value],
  );

/** Resolves when nothing of the page is loading. */
export const isLoaded = (page: Page): Promise<void> =>
  expect.poll(() => page.locator('.mantine-Loader-root, .mantine-Skeleton-root').count()).toBe(0);

/** Whether the heap of the page has the text, after a collection. */
export async function hasInHeap(page: Page, text: string): Promise<boolean> {
  const devtools = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  return chunks.join('').includes(text);
}
