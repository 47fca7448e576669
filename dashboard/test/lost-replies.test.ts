import { apiKeyHash } from '@latchkey/protocol';
import { createTriggersClient, logInToTriggers } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addRunner, newManagedAccount, openSignedIn } from './accounts.ts';
import { openDashboard, useChromium } from './browser.ts';

/**
 * Submits a form, drops the reply of the service, and submits it again (with `isLimited` once more, after a 429), until its button is
 * gone or `done` is shown. Returns the lost reply.
 */
async function submitAgain(
  page: Page,
  path: string,
  submit: Locator,
  { isLimited = false, done }: { isLimited?: boolean; done?: Locator } = {},
): Promise<string | undefined> {
  const route = new RegExp(`/${path}$`);
  let lost: string | undefined;
  await page.route(route, async (sent) => {
    // Drops the SDK's own retries.
    lost ??= await (await sent.fetch()).text();
    await sent.abort();
  });
  await submit.click();
  // The SDK retries several times first.
  await page.getByText('The service does not answer.').waitFor({ timeout: 60_000 });
  await page.unroute(route);
  if (isLimited) {
    const headers = { 'Access-Control-Allow-Origin': '*' };
    await page.route(route, (sent) =>
      sent.fulfill({
        status: 429,
        headers,
        json: { error: 'too_many_requests', message: 'too many requests' },
      }),
    );
    await submit.click();
    await page.getByText('Too many requests.').waitFor();
    await page.unroute(route);
  }
  await submit.click();
  await (done ? done.waitFor() : submit.waitFor({ state: 'detached' }));
  return lost;
}

describe.runIf(hasChromium)('a form that is sent again after a lost reply', () => {
  useChromium();

  test('makes one group, one wallet, one usage key and one trigger', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    const usageKey = await addRunner(account);
    await using dashboard = await openSignedIn(account, { path: '/groups' });
    const { page } = dashboard;
    const fillIn = async (opener: string, name: string): Promise<void> => {
      await page.getByRole('main').getByRole('button', { name: opener }).first().click();
      await page.getByRole('dialog').getByLabel('Name').fill(name);
    };
    await fillIn('New group', 'Payments');
    const createGroup = page.getByRole('button', { name: 'Create the group' });
    await submitAgain(page, 'add_group', createGroup, { isLimited: true });
    const named = async () => (await client.listGroups()).items.filter(({ name }) => name === 'Payments');
    expect(await named()).toHaveLength(1);
    // The same form after a reply is a new write.
    await fillIn('New group', 'Payments');
    await createGroup.click();
    await createGroup.waitFor({ state: 'detached' });
    expect(await named()).toHaveLength(2);

    await page.getByRole('link', { name: 'Wallets', exact: true }).click();
    await fillIn('New wallet', 'Treasury');
    await submitAgain(page, 'create_wallet', page.getByRole('button', { name: 'Create the wallet' }));
    expect((await client.listWallets()).items).toMatchObject([{ name: 'Treasury' }]);

    await page.getByRole('link', { name: 'Usage keys', exact: true }).click();
    await fillIn('New usage key', 'Backend');
    await submitAgain(page, 'add_usage_api_key', page.getByRole('button', { name: 'Create the usage key' }));
    const shown = await page.getByRole('textbox', { name: 'Usage key' }).inputValue();
    expect((await client.listApiKeys()).items).toMatchObject([
      { name: 'Server' },
      { name: 'Backend', usageKeyHash: apiKeyHash(shown) },
    ]);
    await page.getByRole('button', { name: 'I have stored it' }).click();

    await page.getByRole('link', { name: 'Triggers', exact: true }).click();
    await page.getByRole('link', { name: 'New trigger' }).first().click();
    await page.getByLabel('Name').fill('deliveries');
    const code = page.getByLabel(/^Code\b.*/).and(page.locator('textarea'));
    await code.fill('function main() {}');
    await page.getByLabel(/^Usage key/).fill(usageKey);
    await submitAgain(page, 'api/triggers', page.getByRole('button', { name: 'Create the trigger' }));
    await page.getByRole('link', { name: 'Triggers', exact: true }).click();
    const triggers = page.getByRole('table', { name: 'Triggers' });
    await triggers.getByText('deliveries').first().waitFor();
    expect(await triggers.getByRole('row').count()).toBe(1 + 1);
  });

  test('adds one webhook, and shows its secret', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openSignedIn(account, { path: '/webhooks' });
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://webhook.invalid/');
    const submit = page.getByRole('button', { name: 'Add the webhook' });
    const lost = await submitAgain(page, 'add_webhook', submit);
    const shown = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
    expect(JSON.parse(lost ?? '')).toMatchObject({ secret: shown });
    expect(await account.client.listWebhooks()).toHaveLength(1);
  });

  test('makes one run of an action, and one test and one replay of a trigger', async () => {
    const account = await newManagedAccount();
    const { client, key: accountKey } = account;
    const usageKey = await addRunner(account);
    const url = stack.triggersUrl;
    const { token } = await logInToTriggers({ url, accountKey });
    const triggers = createTriggersClient({ url, token });
    await triggers.createTrigger({
      name: 'deliveries',
      kind: 'webhook',
      config: {},
      code: 'function main() {}',
      usageKey,
    });
    await using dashboard = await openSignedIn(account, { path: '/actions/new' });
    const { page } = dashboard;
    await page.locator('input[type=password]').fill(usageKey);
    const run = page.getByRole('button', { name: 'Run the action' });
    await submitAgain(page, 'svc_action', run, { done: page.getByText('Receipt verified') });
    expect((await client.listRuns()).items).toHaveLength(1);
    // The same form after a reply is a new run.
    await run.click();
    await expect.poll(async () => (await client.listRuns()).items).toHaveLength(2);

    await page.getByRole('link', { name: 'Triggers', exact: true }).click();
    await page.getByRole('link', { name: 'deliveries' }).click();
    await page.getByRole('button', { name: 'Test' }).click();
    await submitAgain(page, 'test', page.getByRole('button', { name: 'Run it now' }));
    await submitAgain(page, 'replay', page.getByRole('button', { name: 'Replay' }), {
      done: page.getByText('another run'),
    });
    expect((await triggers.searchTriggerRuns()).items).toHaveLength(1 + 1);
  });

  test('opens one account', async () => {
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    await open();
    await page.getByText('New account', { exact: true }).click();
    await page.getByLabel(/^Name of the account/).fill('Greetings');
    const lost = await submitAgain(
      page,
      'new_account',
      page.getByRole('button', { name: 'Open the account' }),
    );
    const shown = await page.getByRole('textbox', { name: 'Account key' }).inputValue();
    expect(JSON.parse(lost ?? '')).toMatchObject({ api_key: shown });
  });
});
