import { createClient } from '@latchkey/sdk';
import { hasChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import {
  addRunner,
  CLOCK_BEHIND_MS,
  expectUnasked,
  modes,
  newAccountIn,
  openSignedIn,
  runCode,
} from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';
import { pretendRuns } from './many-runs.ts';

const SLOW = 'async function main() { await new Promise((done) => setTimeout(done, 600_000)) }';

describe.runIf(hasChromium)('runs', () => {
  useChromium();

  test('filters runs in the URL, shows a record with its verified receipt, and replays it', async () => {
    const account = await newAccountIn('chainSecured');
    const { client } = account;
    const usageKey = await addRunner(account);
    await client.setUsageApiKeyRecording({ usageKey, recordOutput: true });
    const code = 'function main({ name }) { console.log("greets"); return { hello: name ?? "all" } }';
    const greeting = await runCode(usageKey, code);
    await runCode(usageKey, 'function main() { throw new RangeError("too far") }');
    await using dashboard = await openSignedIn(account, { path: '/runs?status=failed' });
    const { page, sign } = dashboard;
    await sign();
    const table = page.getByRole('table', { name: 'Runs' });
    await table.getByText('RangeError').waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await table.getByText('Succeeded').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('combobox', { name: 'Usage key' }).click();
    await page.getByRole('option', { name: 'Server' }).click();
    await page.getByRole('textbox', { name: 'Error' }).fill('NoSuchError');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No run matches the filters').waitFor();
    expect(page.url()).toMatch(/key=.*error=NoSuchError/);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expectAccessible(page);

    await table
      .getByRole('row', { name: /Succeeded/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('table', { name: 'Record' }).getByText(greeting.slice(0, 8)).waitFor();
    await page.getByText('Receipt verified').waitFor();
    await page.getByRole('button', { name: 'Log in to the triggers' }).waitFor();
    await page.getByRole('region', { name: 'Response' }).getByText('"hello": "all"').waitFor();
    await page.getByRole('region', { name: 'Logs' }).getByText('greets').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 375, height: 700 });
    await expectFits(page);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Replay' }).click();
    const form = page.getByRole('dialog', { name: 'Replay the run' });
    await form.getByLabel('Parameters').fill('{"name": "Ada"}');
    await form
      .getByLabel(/^Usage key/)
      .and(page.locator('input'))
      .fill(usageKey);
    await form.getByRole('button', { name: 'Run the action' }).click();
    await form.getByText('Receipt verified').waitFor();
    await form.getByRole('log').getByText('greets').waitFor();
    await form.getByRole('region', { name: 'Response' }).getByText('"hello": "Ada"').waitFor();
    await expectAccessible(page);
    expect((await client.listRuns()).items).toMatchObject([{ status: 'success' }, {}, {}]);
    // One signature for all of it: the replay is a run of the usage key.
    if (account.mode === 'chainSecured') expect(account.wallet.asked).toEqual(['eth_signTypedData_v4']);
  });

  test.each(modes)('stops a run, and loads older runs: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const { client } = account;
    const runner = createClient({ url: stack.url, apiKey: await addRunner(account) });
    const ended = runner.runAction({ code: SLOW });
    const running = async () => (await client.listRuns({ status: 'running' })).items;
    await expect.poll(running).toHaveLength(1);
    const [run] = await running();
    await using dashboard = await openSignedIn(account, { path: `/runs/${run?.id}` });
    const { page, sign, reopen } = dashboard;
    if (account.mode === 'chainSecured') {
      await page.clock.install({ time: Date.now() - CLOCK_BEHIND_MS });
      await reopen();
      await sign();
      await page.getByRole('table', { name: 'Record' }).waitFor();
      await expectUnasked(page, account.wallet);
    } else {
      // A failed refresh is shown above the record, and is not the last.
      await page.getByRole('table', { name: 'Record' }).waitFor();
      await page.route(/\/run\/[^/]+$/, (sent) => sent.abort());
      await page.getByText('The service does not answer.').waitFor();
      await page.getByRole('table', { name: 'Record' }).waitFor();
      await page.unroute(/\/run\/[^/]+$/);
      await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stop the run' }).click();
    await page.getByRole('table', { name: 'Record' }).getByText('StoppedError').waitFor();
    expect((await client.listRuns()).items).toMatchObject([{ status: 'failed', errorName: 'StoppedError' }]);
    expect(await ended).toMatchObject({ hasError: true });

    await pretendRuns(page, 70);
    await page.getByRole('link', { name: 'All runs' }).click();
    const rows = page.getByRole('table', { name: 'Runs' }).getByRole('row');
    const more = page.getByRole('button', { name: 'Load more' });
    await more.waitFor();
    expect(await rows.count()).toBe(1 + 50);
    await more.click();
    await more.waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(1 + 70);
    expect(
      new Set(await rows.locator('a[href^="/runs/"]').evaluateAll((links) => links.map(String))).size,
    ).toBe(70);
  });
});
