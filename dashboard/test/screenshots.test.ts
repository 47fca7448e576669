/** Every page of an account in use: it fits, does not shift, is accessible, and is photographed for the docs with SCREENSHOTS=1. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createTriggersClient, logInToTriggers } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { addUsageKey, call, stack } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillAccount, newManagedAccount, signingCode } from './accounts.ts';
import { expectAccessible, expectFits, isLoaded, openDashboard, signIn, useChromium } from './browser.ts';

const directory = join(import.meta.dirname, '../../docs/images/dashboard');

let account: Awaited<ReturnType<typeof openAccount>>;

/** An account with runs, failed ones too, and a trigger. */
async function openAccount() {
  const managed = await newManagedAccount();
  const { key } = managed;
  const { usageKey, used, cid } = await fillAccount(managed);
  const any = await addUsageKey(key, { name: 'Any action', execute_in_groups: ['0'] });
  const run = (body: object, by: string) => call('POST', 'svc_action', { body, key: by });
  for (const message of ['one', 'two', 'three'])
    await run({ code: signingCode, js_params: { pkpId: used, message } }, usageKey);
  await run({ code: 'function main() { throw new TypeError("no such invoice"); }' }, any);
  const url = stack.triggersUrl;
  const { token } = await logInToTriggers({ url, accountKey: key });
  const triggers = createTriggersClient({ url, token });
  const { id: triggerId } = await triggers.createTrigger({
    name: 'Invoices at nine',
    kind: 'schedule',
    config: { cron: '0 9 * * MON-FRI', timezone: 'Europe/Berlin' },
    code: 'async function main({ scheduled_at }) {\n  console.log(scheduled_at);\n  return "paid";\n}',
    usageKey: any,
  });
  await triggers.testTrigger({ triggerId });
  return { key, cid, triggerId };
}

const pages: [name: string, path: () => string, content: string | RegExp][] = [
  ['overview', () => '/', 'Overview'],
  ['keys', () => '/keys', 'Server'],
  ['groups', () => '/groups', 'Payments'],
  ['action', () => `/actions/${account.cid}`, 'Sign'],
  ['wallets', () => '/wallets', /Wallets/],
  ['runs', () => '/runs', 'TypeError'],
  ['trigger', () => `/triggers/${account.triggerId}`, 'Invoices at nine'],
  ['agents', () => '/agents', 'No agents yet'],
  ['billing', () => '/billing', 'Ledger'],
  ['settings', () => '/settings', 'Export'],
];

/** Sum of the layout shifts since the start of the page that no input caused. */
const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[])
            if (!entry.hadRecentInput) sum += entry.value;
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => resolve(sum), 100));
      }),
  );

describe.runIf(hasChromium)('every page', () => {
  useChromium();
  beforeAll(async () => {
    account = await openAccount();
    if (process.env.SCREENSHOTS) await mkdir(directory, { recursive: true });
  });

  test.each([
    { colorScheme: 'light', width: 1_280, height: 800 },
    { colorScheme: 'dark', width: 1_280, height: 800 },
    { colorScheme: 'light', width: 375, height: 700 },
  ] as const)('in $colorScheme colours, $width pixels wide', async (options) => {
    await using dashboard = await openDashboard(options);
    const { page, open } = dashboard;
    const check = async (name: string): Promise<void> => {
      await isLoaded(page);
      await expectFits(page);
      await expectAccessible(page);
      if (process.env.SCREENSHOTS && options.width > 1_000)
        await page.screenshot({ path: join(directory, `${name}-${options.colorScheme}.png`) });
    };
    await open();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await check('sign-in');
    await signIn(page, account.key);
    for (const [name, path, content] of pages) {
      // Without a reload, which would end the session.
      await page.evaluate((to) => {
        history.pushState({}, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
      }, path());
      await page.getByRole('main').getByText(content).first().waitFor();
      await check(name);
    }
    expect(await layoutShift(page)).toBeLessThan(0.1);
  });
});
