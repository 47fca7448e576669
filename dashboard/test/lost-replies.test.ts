import { apiKeyHash } from '@latchkey/protocol';
import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { newManagedAccount, openSignedIn } from './accounts.ts';
import { hasChromium, useChromium } from './browser.ts';

/** The relayer takes the first of these requests. Neither its reply nor any of its retries arrives while this runs. */
async function loseReply(page: Page, path: string, whileLost: () => Promise<void>): Promise<void> {
  const requests: Request[] = [];
  const route = new RegExp(`/${path}$`);
  await page.route(route, async (sent) => {
    requests.push(sent.request());
    if (requests.length === 1) await sent.fetch();
    await sent.abort();
  });
  await whileLost();
  await page.unroute(route);
}

describe.runIf(hasChromium)('a form that is sent again after a lost reply', () => {
  useChromium();

  test('makes one group, one usage key, which works, and one wallet', async () => {
    const { client, ...account } = await newManagedAccount();
    await using dashboard = await openSignedIn({ client, ...account }, { path: '/groups' });
    const { page } = dashboard;
    const submitTwice = async (route: string, opener: string, name: string, button: string) => {
      await page.getByRole('main').getByRole('button', { name: opener }).first().click();
      await page.getByRole('dialog').getByLabel('Name').fill(name);
      const submit = page.getByRole('button', { name: button });
      await loseReply(page, route, async () => {
        await submit.click();
        await page.getByText('The service does not answer.').waitFor();
      });
      await submit.click();
      await submit.waitFor({ state: 'detached' });
    };
    await submitTwice('add_group', 'New group', 'Payments', 'Create the group');
    expect((await client.listGroups()).items).toMatchObject([{ name: 'Payments' }]);
    // A write that was answered is not the one before.
    await page.getByRole('button', { name: 'New group' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Payments');
    await page.getByRole('button', { name: 'Create the group' }).click();
    await page.getByRole('button', { name: 'Create the group' }).waitFor({ state: 'detached' });
    expect((await client.listGroups()).items).toHaveLength(2);

    await page.getByRole('link', { name: 'Wallets', exact: true }).click();
    await submitTwice('create_wallet', 'New wallet', 'Treasury', 'Create the wallet');
    expect((await client.listWallets()).items).toMatchObject([{ name: 'Treasury' }]);

    await page.getByRole('link', { name: 'Usage keys', exact: true }).click();
    await submitTwice('add_usage_api_key', 'New usage key', 'Server', 'Create the usage key');
    const shown = await page.getByRole('textbox', { name: 'Usage key' }).inputValue();
    expect((await client.listApiKeys()).items).toMatchObject([{ apiKeyHash: apiKeyHash(shown) }]);
  });
});
