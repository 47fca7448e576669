import { cidHash } from '@latchkey/protocol';
import { hasChromium } from '@latchkey/testing/chromium';
import { addUsageKey, cidOfCode, get, hex, newAccount, post } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import {
  addRunner,
  fillAccount,
  modes,
  newAccountIn,
  newChainSecuredAccount,
  newManagedAccount,
  openSignedIn,
  signingCode,
} from './accounts.ts';
import { expectAccessible, expectFits, openDashboard, signIn, useChromium } from './browser.ts';

type Listed = { name: string; id: string }[];
const list = async (path: string, key: string) => (await get(path, key)).body as Listed;

describe.runIf(hasChromium)('actions', () => {
  useChromium();

  test('the example runs, its receipt is verified, and its code is registered in a group', async () => {
    const { key } = await newAccount();
    await post('add_group', { group_name: 'Open', group_description: '', cid_hashes_permitted: [0] }, key);
    await post('add_group', { group_name: 'Greetings', group_description: '' }, key);
    const usageKey = await addUsageKey(key, { execute_in_groups: [1] });
    await using dashboard = await openDashboard({ path: '/actions' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByRole('heading', { name: 'No actions yet' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'New action' }).first().click();
    const editor = page.getByRole('textbox', { name: 'Code of the action' });
    await editor.waitFor();
    await expectAccessible(page);

    const parameters = page.getByLabel('Parameters');
    await parameters.fill('{\n  "name": you\n}');
    await page.getByText(/This is not JSON.*line 2 column 11/).waitFor();
    expect(await page.getByRole('button', { name: 'Run the action' }).isDisabled()).toBe(true);
    await parameters.fill('{ "name": "you" }');
    await page.locator('input[type=password]').fill(usageKey);
    await page.getByRole('button', { name: 'Run the action' }).click();
    await page.getByText('Receipt verified').waitFor();
    await page.getByText('is signed by the signer that the contract names').waitFor();
    expect(await page.getByRole('log', { name: 'Logs' }).textContent()).toBe('greeting you\n');
    expect(await page.getByRole('region', { name: 'Response' }).textContent()).toBe('hello you');
    await page.getByText('$0.01', { exact: true }).waitFor();
    await expectAccessible(page);

    const form = page.getByRole('region', { name: 'Register this action' });
    await form.getByLabel('Name').fill('Greet');
    await form.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: /^Greetings/ }).click();
    // The second of two writes fails.
    await page.route(/\/add_to_group$/, (sent) => sent.abort());
    await form.getByRole('button', { name: 'Register the action' }).click();
    await form.getByText('The service does not answer.').waitFor();
    await page.unroute(/\/add_to_group$/);
    await form.getByRole('button', { name: 'Register the action' }).click();
    await page.getByRole('heading', { name: 'Greet' }).waitFor();
    await expectAccessible(page);
    const [action] = await list('list_actions?page_number=0&page_size=10', key);
    expect(action?.name).toBe('Greet');
    expect(await get('list_groups?page_number=0&page_size=10', key)).toMatchObject({
      body: [{ name: 'Open' }, { name: 'Greetings', cid_hashes_permitted: [action?.id] }],
    });

    // The page shows the code that the relayer stores, and runs it by the CID in its path.
    await page.getByText('It has the CID of the action.').waitFor();
    const shown = page.getByRole('textbox', { name: 'Code of the action' });
    expect(await shown.getAttribute('aria-readonly')).toBe('true');
    await page.getByRole('button', { name: 'Copy the code' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(hex(cidHash(await cidOfCode(copied)))).toBe(action?.id);
    await page.locator('input[type=password]').fill(usageKey);
    await page.getByRole('button', { name: 'Run the action' }).click();
    await page.getByText('Receipt verified').waitFor();
    expect(
      await page.evaluate(() => JSON.stringify([location.href, localStorage, sessionStorage])),
    ).not.toContain(usageKey);
  });

  test('code that is typed changes the CID, logs arrive while it runs, and it can be stopped', async () => {
    const { key } = await newAccount();
    await post('add_group', { group_name: 'Open', group_description: '', cid_hashes_permitted: [0] }, key);
    const usageKey = await addUsageKey(key, { execute_in_groups: [1] });
    const code = `async function main() { console.log('working'); await new Promise((done) => setTimeout(done, 60000)) }`;
    await using dashboard = await openDashboard({ width: 375, colorScheme: 'dark', path: '/actions/new' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    const editor = page.getByRole('textbox', { name: 'Code of the action' });
    await editor.fill(code);
    const cid = await cidOfCode(code);
    await page.getByTitle(cid).waitFor();
    await editor.press('Tab');
    expect(await editor.evaluate((element) => element === document.activeElement)).toBe(true);
    await editor.press('Escape');
    await editor.press('Tab');
    expect(await editor.evaluate((element) => element === document.activeElement)).toBe(false);
    await editor.fill(code);
    await expectFits(page);
    await expectAccessible(page);
    await page.locator('input[type=password]').fill(usageKey);
    await page.getByRole('button', { name: 'Run the action' }).click();
    await page.getByRole('log', { name: 'Logs' }).getByText('working').waitFor();
    await page.getByRole('button', { name: 'Stop the run' }).click();
    await page.getByRole('region', { name: 'Error' }).getByText('StoppedError').waitFor();
    await page.getByText('Receipt verified').waitFor();
    await expectFits(page);
    await expectAccessible(page);
    expect(await get('list_runs', key)).toMatchObject({ body: [{ cid, error_name: 'StoppedError' }] });
  });

  test('the editor marks errors, completes the environment, and runs by Ctrl+Enter', async () => {
    const account = await newManagedAccount();
    const usageKey = await addRunner(account);
    await using dashboard = await openSignedIn(account, { path: '/actions/new' });
    const { page } = dashboard;
    const editor = page.getByRole('textbox', { name: 'Code of the action' });
    const markers = page.locator('.cm-lintRange-error');
    await editor.fill('const main = () => ({ a: 1 ;');
    await markers.first().waitFor();
    await editor.fill('const main = () => 1;');
    await markers.first().waitFor({ state: 'detached' });
    for (const [typed, offered] of [
      ['Svc.Actions.takeA', 'takeAllowance'],
      ['ethers.utils.parseE', 'parseEther'],
    ] as const) {
      await editor.fill('');
      await editor.pressSequentially(typed);
      await page.getByRole('option', { name: offered }).waitFor();
      await expectAccessible(page);
      // CodeMirror takes no choice that may have appeared under the finger.
      await page.waitForTimeout(100);
      await editor.press('Enter');
      await expect.poll(() => editor.textContent()).toBe(typed.replace(/\w+$/, offered));
    }
    await editor.fill('const main = () => "by keys";');
    await page.locator('input[type=password]').fill(usageKey);
    await editor.press('Control+Enter');
    await page.getByText('Receipt verified').waitFor();
    expect(await page.getByRole('region', { name: 'Response' }).textContent()).toBe('by keys');
    expect(await editor.textContent()).toBe('const main = () => "by keys";');
  });

  test.each(modes)('are edited, taken out of groups, and removed: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client } = account;
    const { cid } = await fillAccount(account);
    const actions = async () => (await client.listActions()).items;
    await using dashboard = await openSignedIn(account, { path: '/actions' });
    const { page, confirm } = dashboard;
    await page.getByRole('table', { name: 'Actions' }).getByText('Payments').waitFor();
    await page.getByTitle(hex(cidHash(cid))).waitFor();
    await page.getByRole('link', { name: 'Sign', exact: true }).click();
    await page.getByRole('textbox', { name: 'Code of the action' }).fill(signingCode);
    await page.getByText('This is the code of the action.').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Sign a message');
    await page.getByRole('button', { name: 'Change the action' }).click();
    await confirm();
    await page.getByRole('heading', { name: 'Sign a message' }).waitFor();
    await page.getByRole('button', { name: 'Remove it from Payments' }).click();
    await confirm('Remove from the group');
    await page.getByText('No group has this action yet.').waitFor();
    expect(await actions()).toMatchObject([{ name: 'Sign a message' }]);
    await page.getByRole('button', { name: 'Remove the action' }).click();
    await confirm('Remove the action');
    await page.getByRole('heading', { name: 'No actions yet' }).waitFor();
    expect(await actions()).toEqual([]);
  });

  test.each(modes)('code that is not stored is pasted, stored and shown from then on: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client } = account;
    const { cid } = await fillAccount(account);
    await using dashboard = await openSignedIn(account, { path: '/actions' });
    const { page, sign, reopen } = dashboard;
    await page.getByRole('link', { name: 'Sign', exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'Code of the action' });
    await editor.fill(`${signingCode} `);
    await page.getByText('This is not the code of the action.').waitFor();
    expect(await page.getByRole('button', { name: 'Store the code' }).count()).toBe(0);
    await editor.fill(signingCode);
    await page.getByRole('button', { name: 'Store the code' }).click();
    await page.getByText('It has the CID of the action.').waitFor();
    await expectAccessible(page);
    expect(await client.getActionCode({ cid })).toMatchObject({ code: signingCode });

    await reopen();
    await page.getByRole('link', { name: 'Sign', exact: true }).click();
    await sign();
    await page.getByText('It has the CID of the action.').waitFor();
    expect(await editor.textContent()).toContain('signMessage(message)');
  });

  test('code from the relayer that does not have the CID is not shown', async () => {
    const account = await newManagedAccount();
    const { cid } = await fillAccount(account);
    await account.client.storeActionCode({ cid, code: signingCode });
    await using dashboard = await openSignedIn(account, { path: `/actions/${cid}` });
    const { page, reopen } = dashboard;
    await page.route(/\/action_code\//, async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        json: { ...(await response.json()), code: 'const main = () => "forged"' },
      });
    });
    await reopen();
    await page.getByText('The relayer returned other code than that of this CID.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Code of the action' }).count()).toBe(0);
    expect(await page.getByText('forged').count()).toBe(0);
  });

  test('of a wallet: they run, and one transaction registers the code and adds it to a group', async () => {
    const account = await newChainSecuredAccount();
    const { client, wallet } = account;
    const usageKey = await addRunner(account);
    await client.addGroup({ name: 'Greetings', description: '' });
    await using dashboard = await openSignedIn(account, { path: '/actions/new' });
    const { page, confirm } = dashboard;
    await page.locator('input[type=password]').fill(usageKey);
    await page.getByRole('button', { name: 'Run the action' }).click();
    await page.getByText('Receipt verified').waitFor();
    expect(await page.getByRole('log', { name: 'Logs' }).textContent()).toBe('greeting you\n');
    expect(await page.getByRole('region', { name: 'Response' }).textContent()).toBe('hello you');
    expect(wallet.asked).toEqual([]);

    const form = page.getByRole('region', { name: 'Register this action' });
    await form.getByLabel('Name').fill('Greet');
    await form.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: /^Greetings/ }).click();
    await form.getByRole('button', { name: 'Register the action' }).click();
    await confirm();
    await page.getByRole('heading', { name: 'Greet' }).waitFor();
    expect(wallet.asked).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction']);
    await page.getByText('It has the CID of the action.').waitFor();
    const [action] = (await client.listActions()).items;
    expect(action).toMatchObject({ name: 'Greet' });
    expect((await client.listGroups()).items).toMatchObject([
      { name: 'Open' },
      { name: 'Greetings', cidHashes: [action?.cidHash] },
    ]);
  });
});
