import { readFile } from 'node:fs/promises';
import { hasChromium } from '@latchkey/testing/chromium';
import { get, newAccount } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { toCsv } from '../src/pages/billing/csv.ts';
import { groupEntries } from '../src/pages/billing/grouped-ledger.tsx';
import { newBrowserWallet, openWalletAccount, signInWithWallet } from './accounts.ts';
import { expectAccessible, expectFits, openDashboard, signIn, useChromium } from './browser.ts';

const DECLINED = '4000 0000 0000 9995';
const AUTHENTICATED = '4000 0027 6000 3184';

async function enterCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expiration date').fill('12 / 40');
  await page.getByLabel('Security code').fill('123');
}

const creditOf = async (key: string): Promise<number> => {
  const { credit_micros } = (await get('billing/balance', key)).body as { credit_micros: string };
  return Number(credit_micros);
};

test('a reason in the CSV is never read as a formula', () => {
  const entry = {
    number: 1,
    kind: 'credit' as const,
    amountMicros: 1n,
    availableMicrosAfter: -1n,
    reason: '=HYPERLINK("http://evil.test")',
    createdAt: new Date(0),
  };
  expect(toCsv([entry]).split('\r\n')[1]).toBe(
    '1,1970-01-01T00:00:00.000Z,credit,1,-1,"\'=HYPERLINK(""http://evil.test"")",,',
  );
});

test('entries are added up by day and by run, without moves within the account', () => {
  const entry = (kind: 'credit' | 'reserve' | 'capture' | 'release' | 'reverse', reason: string) => ({
    number: 1,
    kind,
    amountMicros: 10n,
    availableMicrosAfter: 0n,
    reason,
    createdAt: new Date(2026, 4, 5, 12),
  });
  const entries = [
    entry('capture', 'run 1'),
    entry('release', 'run 1'),
    entry('capture', 'run 1'),
    entry('reserve', 'run 1'),
    entry('capture', 'add_group'),
    entry('reverse', 'refund re_1'),
    { ...entry('credit', 'payment pi_1'), createdAt: new Date(2026, 4, 4, 12) },
  ];
  const inShort = (by: 'day' | 'run') =>
    groupEntries(entries, by).map(({ name, paidMicros, chargedMicros, takenBackMicros }) => [
      name,
      Number(paidMicros),
      Number(chargedMicros),
      Number(takenBackMicros),
    ]);
  expect(inShort('run')).toEqual([
    ['run 1', 0, 20, 0],
    ['add_group', 0, 10, 0],
  ]);
  expect(inShort('day')).toEqual([
    ['May 5, 2026', 0, 30, 10],
    ['May 4, 2026', 10, 0, 0],
  ]);
});

describe.runIf(hasChromium)('billing', () => {
  useChromium();

  test('a card adds credit; a declined one says why', async () => {
    const { key } = await newAccount();
    const before = await creditOf(key);
    await using dashboard = await openDashboard({ path: '/billing' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByLabel('Amount in US dollars').fill('25');
    await page.getByRole('button', { name: 'Continue to the card' }).click();
    await enterCard(page, DECLINED);
    await expectAccessible(page);
    const pay = page.getByRole('button', { name: 'Pay $25.00' });
    await pay.click();
    await page
      .getByText('Your card has insufficient funds. Use another card, or a smaller amount.')
      .waitFor();
    expect(await creditOf(key)).toBe(before);

    await enterCard(page, AUTHENTICATED);
    await pay.click();
    const bank = page.frameLocator('iframe[title="Your bank"]');
    await bank.getByRole('button', { name: 'Fail' }).click();
    await page.getByText('Confirm the payment with your bank, or use another card.').waitFor();
    expect(await creditOf(key)).toBe(before);
    await pay.click();
    await bank.getByRole('button', { name: 'Complete' }).click();
    await page.getByText('$25.00 of credit was added.').waitFor();
    expect(await creditOf(key)).toBe(before + 25_000_000);

    const ledger = page.getByRole('table', { name: 'Ledger' });
    await ledger.getByRole('row', { name: /credit.*\+\$25\.00/ }).waitFor();
    await page.getByText('By day', { exact: true }).click();
    await page.getByRole('table', { name: 'Ledger by day' }).getByText('$1,025.00').waitFor();
    await page.getByText('Entries', { exact: true }).click();
    await ledger.getByRole('link', { name: 'receipt' }).click();
    const receipt = page.getByRole('table', { name: 'Receipt' });
    await receipt.getByText('$25.00 (USD)').waitFor();
    await receipt.getByText(/^pi_/).waitFor();
    await page.getByRole('link', { name: 'Receipt of the card processor' }).waitFor();
    await expectAccessible(page);
    await page.goBack();
    await ledger.waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 375, height: 700 });
    await expectFits(page);
    await expectAccessible(page);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const lines = (await readFile(await saved.path(), 'utf8')).trim().split('\r\n');
    const entries = (await get('billing/ledger?page_size=1000', key)).body as object[];
    expect(lines).toHaveLength(entries.length + 1);
    expect(lines[1]).toMatch(/^\d+,\S+Z,credit,25000000,\d+,"[^"]*",,$/);
  });

  test('a stored card tops up to the monthly limit, asks for 3-D Secure, and is removed', async () => {
    const { key } = await newAccount();
    const before = await creditOf(key);
    await using dashboard = await openDashboard({ path: '/billing' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    const section = page.getByRole('region', { name: 'Automatic top-up' });
    await section.getByRole('button', { name: 'Turn on' }).click();
    const dialog = page.getByRole('dialog', { name: 'Turn the automatic top-up on' });
    await dialog.getByLabel('When the credit is below').fill('5000');
    await dialog.getByLabel('At most per month').fill('50');
    await dialog.getByRole('button', { name: 'Store a card' }).click();
    await enterCard(page, AUTHENTICATED);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    const bank = page.frameLocator('iframe[title="Your bank"]');
    await bank.getByRole('button', { name: 'Complete' }).click();
    await section.getByText('visa •••• 3184').waitFor();
    await expect
      .poll(
        async () => {
          const { auto_top_up } = (await get('billing/auto_top_up', key)).body as {
            auto_top_up: { paused: { reason: string } | null };
          };
          return auto_top_up.paused?.reason;
        },
        { timeout: 30_000 },
      )
      .toBe('authentication_required');
    await page.reload();
    await signIn(page, key);
    await page.getByText('The automatic top-up is paused').waitFor();
    await expectAccessible(page);
    await section.getByRole('button', { name: 'Confirm the payment of $20.00' }).click();
    await bank.getByRole('button', { name: 'Complete' }).click();
    await expect.poll(() => creditOf(key), { timeout: 30_000 }).toBe(before + 20_000_000);

    await section.getByRole('button', { name: 'Replace the card' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Store a card' }).click();
    await enterCard(page, '4242 4242 4242 4242');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the card' }).click();
    await section.getByText('visa •••• 4242').waitFor();
    await expect.poll(() => creditOf(key), { timeout: 30_000 }).toBe(before + 40_000_000);
    await page.reload();
    await signIn(page, key);
    await section.getByText('$40.00 of at most $50.00').waitFor();
    await section.getByRole('button', { name: 'Change' }).click();
    const change = page.getByRole('dialog');
    await change.getByLabel('At most per month').fill('55');
    await change.getByRole('button', { name: 'Enter the card' }).click();
    await change.getByRole('button', { name: 'Store a card' }).click();
    await enterCard(page, '4242 4242 4242 4242');
    await change.getByRole('button', { name: 'Save' }).click();
    await section.getByText('$40.00 of at most $55.00').waitFor();
    await page.setViewportSize({ width: 375, height: 700 });
    await expectFits(page);
    await section.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await section.getByRole('button', { name: 'Turn on' }).waitFor();
    expect((await get('billing/auto_top_up', key)).body).toEqual({ auto_top_up: null });
  });

  test('drops the parameters of a payment that left the page', async () => {
    await using dashboard = await openDashboard({
      path: '/billing?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_2&redirect_status=succeeded',
    });
    const { page, open } = dashboard;
    await open();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  test('a ChainSecured account pays after one signature', async () => {
    await using dashboard = await openDashboard({ path: '/billing' });
    const { page, open } = dashboard;
    const wallet = await newBrowserWallet(page);
    await open();
    await signInWithWallet(page);
    await openWalletAccount(page);
    await page.getByRole('button', { name: 'Sign with the wallet' }).click();
    await page.getByText('$0.00').first().waitFor();
    await page.getByText('Credit is low: $0.00').waitFor();
    await page.getByRole('button', { name: 'Continue to the card' }).click();
    await enterCard(page, '4242 4242 4242 4242');
    await page.getByRole('button', { name: 'Pay $20.00' }).click();
    await page.getByText('$20.00').first().waitFor();
    const ledger = page.getByRole('table', { name: 'Ledger' });
    await ledger.getByRole('row', { name: /credit.*\+\$20\.00/ }).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    expect((await readFile(await saved.path(), 'utf8')).split('\r\n')[1]).toMatch(
      /^\d+,\S+Z,credit,20000000,20000000,"[^"]*",,$/,
    );
    expect(wallet.asked.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1);
  });
});
