import { hasChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { newManagedAccount } from './accounts.ts';
import { expectAccessible, expectFits, hasInHeap, openDashboard, signIn, useChromium } from './browser.ts';

/** For tests that read the heap, which takes long on a busy machine. */
const SNAPSHOTS_MS = 300_000;

describe.runIf(hasChromium)('operator', () => {
  useChromium();

  test(
    'opens with the token only, shows each part, and keeps nothing after the log-out',
    async () => {
      await using dashboard = await openDashboard({ path: '/operator' });
      const { page, open } = dashboard;
      await open();
      const field = page.getByLabel(/^Token of the operator/).and(page.locator('input'));
      const button = page.getByRole('button', { name: 'Log in' });
      await field.waitFor();
      await expectAccessible(page);
      for (const wrong of ['wrong', (await newManagedAccount()).key, 'w\u00f6rong']) {
        await field.fill(wrong);
        await button.click();
        await page.getByText('This is not the token of the operator.').waitFor();
      }
      await field.fill(stack.operatorToken);
      await button.click();

      const parts = page.getByRole('table', { name: 'Parts' });
      await parts.getByText('Trigger service: database').waitFor();
      // Another test can hold up a part for a moment.
      await expect
        .poll(() => parts.getByText('Works', { exact: true }).count(), { timeout: 60_000 })
        .toBe(10);
      const payers = page.getByRole('table', { name: 'Payers' });
      for (const key of stack.payerKeys) {
        const row = payers.getByRole('row').filter({ has: page.getByTitle(privateKeyToAddress(key)) });
        expect(await row.textContent()).toMatch(/in use/);
      }
      expect(await page.getByRole('table', { name: 'Key nodes' }).locator('tbody tr').count()).toBe(3);
      await page.getByRole('table', { name: 'Key group' }).getByText('2 of 3 nodes, epoch 1').waitFor();
      await page
        .getByRole('table', { name: 'Node configuration' })
        .getByText('latchkey-threshold/1')
        .waitFor();
      await expectAccessible(page);
      expect(await hasInHeap(page, stack.operatorToken)).toBe(true);

      await page.getByRole('button', { name: 'Log out' }).click();
      await field.waitFor();
      expect(await hasInHeap(page, stack.operatorToken)).toBe(false);
      expect(
        await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
      ).not.toContain(stack.operatorToken);
      expect(await page.getByRole('table').count()).toBe(0);
    },
    SNAPSHOTS_MS,
  );

  test('shows signs of trouble first, and those of the trigger service, also on a phone', async () => {
    await using dashboard = await openDashboard({
      path: '/operator',
      width: 375,
      height: 700,
      colorScheme: 'dark',
    });
    const { page, open } = dashboard;
    await page.route('**/operator/v1/status', async (route) => {
      const response = await route.fetch();
      const status = await response.json();
      status.parts[3] = {
        name: 'indexer',
        ok: false,
        detail: 'does not answer',
        since: '2026-01-02T03:04:05.000Z',
      };
      status.key_nodes[1].fault = 'is down';
      status.runners[0].version = '9.9.9';
      status.payers[0].pending = status.payers[0].max_pending;
      await route.fulfill({ response, json: status });
    });
    await page.route(`${stack.triggersUrl}/health`, (route) => route.abort());
    await open();
    await page
      .getByLabel(/^Token of the operator/)
      .and(page.locator('input'))
      .fill(stack.operatorToken);
    await page.getByRole('button', { name: 'Log in' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'A part is down' });
    await alert.getByText('Trigger service').waitFor();
    const items = await alert.getByRole('listitem').allTextContents();
    expect(items).toEqual([
      expect.stringMatching(/^Indexer: does not answer\. Since /),
      'Trigger service: does not answer.',
      expect.stringMatching(/^Payer 0x\w{40}: all 32 places are in use, and further writes wait\.$/),
      expect.stringMatching(/^Key node 2: 127\.0\.0\.1:\d+ is down\.$/),
      expect.stringMatching(/^Versions: The relayer has [\d.]+, other parts have 9\.9\.9\.$/),
    ]);
    await expectAccessible(page);
    await expectFits(page);
  });

  test('has its own login beside that of an account, and reads again by itself', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    await open();
    await signIn(page, account.key);
    await page.evaluate(() => history.pushState({}, '', '/operator'));
    await page
      .getByLabel(/^Token of the operator/)
      .and(page.locator('input'))
      .fill(stack.operatorToken);
    expect(await page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/operator/v1/status')) sent.push(request.headers().authorization);
    });
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('table', { name: 'Parts' }).waitFor();
    await expect.poll(() => sent.length, { timeout: 30_000 }).toBeGreaterThan(2);
    expect(new Set(sent)).toEqual(new Set([`Bearer ${stack.operatorToken}`]));
  });
});
