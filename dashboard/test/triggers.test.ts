import { createTriggersClient, logInToTriggers } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { hex, stack } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import {
  addRunner,
  type Mode,
  newAccountIn,
  newChainSecuredAccount,
  newManagedAccount,
  openSignedIn,
  walletClientOf,
} from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

/** An account with a usage key, and the triggers that its people see. */
async function accountWithKey(mode: Mode) {
  const account = await newAccountIn(mode);
  const usageKey = await addRunner(account);
  const url = stack.triggersUrl;
  const { token } = await logInToTriggers(
    account.mode === 'api'
      ? { url, accountKey: account.key }
      : { url, wallet: walletClientOf(account.wallet) },
  );
  return { account, usageKey, triggers: createTriggersClient({ url, token }) };
}

describe.runIf(hasChromium)('triggers', () => {
  useChromium();

  test('a webhook is created, called, watched while it runs, stopped, replayed, paused and deleted', async () => {
    const { account, usageKey, triggers } = await accountWithKey('chainSecured');
    await using dashboard = await openSignedIn(account, { path: '/triggers' });
    const { page, sign } = dashboard;
    await sign('Log in with the wallet');
    await page.getByText('No triggers yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'New trigger' }).first().click();
    await page.getByLabel('Name').fill('deliveries');
    await page
      .getByLabel(/^Code\b.*/)
      .and(page.locator('textarea'))
      .fill(
        `async function main({ event }) {
  console.log('got', event.what);
  if (event.what === 'wait') await new Promise((resolve) => setTimeout(resolve, 30_000));
  return event.what;
}`,
      );
    await page.getByLabel(/^Usage key/).fill(usageKey);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByRole('heading', { name: 'deliveries', level: 1 }).waitFor();
    const [trigger] = (await triggers.listTriggers()).items;
    if (!trigger?.webhookUrl) throw new Error('no trigger');
    await page.getByRole('button', { name: 'Copy the URL' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(trigger.webhookUrl);

    const deliver = (what: string) =>
      fetch(trigger.webhookUrl as string, { method: 'POST', body: JSON.stringify({ what }) });
    await deliver('wait');
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().click();
    await page.getByText('got wait').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('StoppedError').first().waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('another run').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();

    await page.getByRole('link', { name: 'deliveries' }).click();
    await page.getByLabel('Status').selectOption('failed');
    await expect.poll(() => page.getByRole('table', { name: 'Runs' }).getByRole('row').count()).toBe(3);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    expect((await deliver('nobody')).status).toBe(410);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the trigger' }).click();
    await page.getByText('No triggers yet').waitFor();
    expect((await triggers.listTriggers()).items).toEqual([]);
    if (account.mode === 'chainSecured') expect(account.wallet.asked).toEqual(['personal_sign']);
  });

  test('a schedule shows its next five slots in its zone, and is tested and edited, on a phone in the dark', async () => {
    const { account, usageKey, triggers } = await accountWithKey('api');
    const options = { colorScheme: 'dark', width: 375, height: 700 } as const;
    await using dashboard = await openSignedIn(account, { path: '/triggers/new', ...options });
    const { page, sign } = dashboard;
    await sign('Log in with the wallet');
    await page.getByLabel('Name').fill('mornings');
    await page.getByText('Schedule', { exact: true }).click();
    await page.getByLabel(/^Cron expression/).fill('0 9 * * *');
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    await expect.poll(() => page.getByText(/9:00 AM/).count()).toBe(5);
    await page.getByLabel(/^Usage key/).fill(usageKey);
    await expectFits(page);
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByRole('heading', { name: 'mornings', level: 1 }).waitFor();
    expect(await page.getByText(/9:00 AM/).count()).toBe(5);
    await expectAccessible(page);
    await expectFits(page);

    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByLabel(/^Input/).fill('{');
    await page.getByRole('button', { name: 'Run it now' }).click();
    expect(await page.getByLabel(/^Input/).evaluate((field) => field.matches(':invalid'))).toBe(true);
    await page.getByLabel(/^Input/).fill('{ "event": "by hand" }');
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.getByRole('heading', { name: 'Run of mornings' }).waitFor();
    await page.getByText('Succeeded').waitFor();
    await page.getByText('"by hand"').first().waitFor();
    await expectFits(page);
    await page.getByRole('link', { name: 'Its record' }).click();
    const record = page.getByRole('table', { name: 'Record' });
    await record.getByRole('link', { name: 'run', exact: true }).click();
    await page.getByRole('heading', { name: 'Run of mornings' }).waitFor();
    await page.goBack();
    await record.getByRole('link', { name: 'mornings' }).click();
    await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'record' }).click();
    await record.waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await record.getByRole('link', { name: 'run', exact: true }).click();

    await page.getByRole('link', { name: 'mornings' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel(/^Cron expression/).fill('nonsense');
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel(/^Cron expression/).fill('30 18 * * *');
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByText(/6:30 PM/).count()).toBe(5);
    expect((await triggers.listTriggers()).items).toMatchObject([{ config: { cron: '30 18 * * *' } }]);
  });

  test('a chain event of one of two contracts starts a run, and the contracts are edited', async () => {
    const account = await newManagedAccount();
    const usageKey = await addRunner(account);
    await using dashboard = await openSignedIn(account, { path: '/triggers/new' });
    const { page } = dashboard;
    await page.getByLabel('Name').fill('removals');
    await page.getByText('Chain event', { exact: true }).click();
    const other = `0x${'ab'.repeat(20)}`;
    await page.getByLabel(/^Contract addresses/).fill(`${stack.contractAddress}\n\n${other}\n`);
    await page
      .getByLabel(/^Event/)
      .fill('GroupRemoved(uint256 indexed masterApiKeyHash, uint256 indexed groupId)');
    await expectAccessible(page);
    await page.getByLabel('Edit the configuration as JSON').check();
    const configuration = page.getByLabel(/^Configuration/);
    // Other tests remove groups of their accounts.
    const config = { ...JSON.parse(await configuration.inputValue()), topic_filters: [hex(account.hash)] };
    await configuration.fill(JSON.stringify(config));
    await page.getByLabel(/^Usage key/).fill(usageKey);
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByRole('heading', { name: 'removals', level: 1 }).waitFor();
    await page.getByText('the chain of this service').waitFor();
    await expectAccessible(page);

    const { groupId } = await account.client.addGroup({ name: 'Gone', description: '' });
    await account.client.removeGroup({ groupId });
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Run of removals' }).waitFor();
    await page.getByText('Succeeded').waitFor();
    await page.getByText('GroupRemoved').first().waitFor();
    await expectAccessible(page);

    await page.getByRole('link', { name: 'removals' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const contracts = page.getByLabel(/^Contract addresses/);
    expect((await contracts.inputValue()).toLowerCase().split('\n')).toEqual([
      stack.contractAddress.toLowerCase(),
      other,
    ]);
    await contracts.fill(stack.contractAddress);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edit the configuration as JSON').check();
    const changed = JSON.parse(await page.getByLabel(/^Configuration/).inputValue());
    expect(changed).toMatchObject({ contract_address: stack.contractAddress });
    expect(changed).not.toHaveProperty('contract_addresses');
  });

  test('a chain event of the contracts of a factory is created and edited', async () => {
    const account = await newManagedAccount();
    const usageKey = await addRunner(account);
    await using dashboard = await openSignedIn(account, { path: '/triggers/new' });
    const { page } = dashboard;
    await page.getByLabel('Name').fill('pools');
    await page.getByText('Chain event', { exact: true }).click();
    await page.getByLabel('Contracts', { exact: true }).selectOption('factory');
    await page.getByLabel(/^Address of the factory/).fill(stack.contractAddress);
    await page.getByLabel(/^Event of the factory/).fill('Made(uint256 id, address made)');
    await page.getByLabel(/^Argument with the new contract/).fill('id');
    await page.getByLabel(/^Event(?! of)/).fill('Swap(uint256 amount)');
    await page.getByLabel(/^Usage key/).fill(usageKey);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByText('expected an argument of the type address').first().waitFor();
    await page.getByLabel(/^Argument with the new contract/).fill('made');
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByRole('heading', { name: 'pools', level: 1 }).waitFor();
    await page.getByText('Its contracts').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel(/^First block of the factory/).fill('1');
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await page.getByLabel(/^First block of the factory/).inputValue()).toBe('1');
  });

  test('a base fee and a balance are created and edited, on a phone', async () => {
    const account = await newManagedAccount();
    const usageKey = await addRunner(account);
    await using dashboard = await openSignedIn(account, { path: '/triggers/new', width: 375, height: 700 });
    const { page } = dashboard;
    await page.getByLabel('Name').fill('cheap');
    await page.getByText('Chain block', { exact: true }).click();
    await page.getByLabel('Fires by', { exact: true }).selectOption('base_fee');
    await page.getByLabel(/^Base fee in wei/).fill('0');
    await page.getByLabel(/^Usage key/).fill(usageKey);
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByText('expected an integer from 1 to').first().waitFor();
    await page.getByLabel(/^Base fee in wei/).fill('1');
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByRole('heading', { name: 'cheap', level: 1 }).waitFor();
    await page.getByText('below 1 wei').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Fires by', { exact: true }).selectOption('balance');
    await page.getByLabel(/^Account/).fill(stack.contractAddress);
    await page.getByLabel('Fires when it becomes').selectOption('above');
    await page.getByLabel(/^Balance in the smallest unit/).fill('5');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('above 5, read every 10 blocks').waitFor();
  });

  test('a wallet that refuses to sign can log in later', async () => {
    const account = await newChainSecuredAccount();
    const { wallet } = account;
    await using dashboard = await openSignedIn(account, { path: '/triggers' });
    const { page, reopen } = dashboard;
    await page.clock.install();
    await reopen();
    wallet.refuses = true;
    await page.getByRole('button', { name: 'Log in with the wallet' }).click();
    await page.getByText('The signature was rejected in the wallet.').waitFor();
    wallet.refuses = false;
    await page.getByRole('button', { name: 'Log in with the wallet' }).click();
    await page.getByText('No triggers yet').waitFor();
    // The login ends before its token.
    await page.clock.fastForward('11:01:00');
    await page.getByRole('button', { name: 'Log in with the wallet' }).click();
    await page.getByText('No triggers yet').waitFor();
    expect(wallet.asked).toEqual(['personal_sign', 'personal_sign', 'personal_sign']);
  });

  test('are listed from every page', async () => {
    const { account, usageKey, triggers } = await accountWithKey('api');
    const shared = {
      kind: 'webhook',
      config: {},
      code: 'function main() {}',
      usageKey,
    } as const;
    await triggers.createTrigger({ name: 'first', ...shared });
    await triggers.createTrigger({ name: 'second', ...shared });
    await using dashboard = await openSignedIn(account);
    const { page } = dashboard;
    await page.route(/\/api\/triggers(\?|$)/, (sent) => {
      const url = new URL(sent.request().url());
      url.searchParams.set('limit', '1');
      return sent.continue({ url: url.href });
    });
    await page.getByRole('link', { name: 'Triggers', exact: true }).click();
    await page.getByRole('link', { name: 'first' }).waitFor();
    await page.getByRole('link', { name: 'second' }).waitFor();
  });
});
