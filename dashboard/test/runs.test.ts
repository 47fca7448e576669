import { get, post } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';
import { expectAccessible, expectFits, hasChromium, openDashboard, signIn, useChromium } from './browser.ts';
import { newAccountWithKey, runCode } from './new-accounts.ts';

const SLOW = 'async function main() { await new Promise((done) => setTimeout(done, 600_000)) }';

type Run = { id: string; status: string; error_name: string | null };
const listRuns = async (key: string): Promise<Run[]> => (await get('list_runs', key)).body as Run[];

describe.runIf(hasChromium)('runs', () => {
  useChromium();

  test('filters runs in the URL, shows a record with its verified receipt, and replays it', async () => {
    const { key, usageKey } = await newAccountWithKey();
    await post('set_usage_api_key_recording', { usage_api_key: usageKey, record_output: true }, key);
    const code = 'function main({ name }) { console.log("greets"); return { hello: name ?? "all" } }';
    const greeting = await runCode(usageKey, code);
    await runCode(usageKey, 'function main() { throw new RangeError("too far") }');
    await using dashboard = await openDashboard({ path: '/runs?status=failed' });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
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
      .click();
    await page.getByRole('table', { name: 'Record' }).getByText(greeting.slice(0, 8)).waitFor();
    await page.getByText('Receipt verified').waitFor();
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
    expect(await listRuns(key)).toMatchObject([{ status: 'success' }, {}, {}]);
  });

  test('stops a run', async () => {
    const { key, usageKey } = await newAccountWithKey();
    const ended = post('svc_action', { code: SLOW }, usageKey);
    await expect.poll(() => listRuns(key)).toMatchObject([{ status: 'running' }]);
    const [{ id }] = (await listRuns(key)) as [Run];
    await using dashboard = await openDashboard({ path: `/runs/${id}` });
    const { page, open } = dashboard;
    await open();
    await signIn(page, key);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stop the run' }).click();
    await page.getByRole('table', { name: 'Record' }).getByText('StoppedError').waitFor();
    expect(await listRuns(key)).toMatchObject([{ status: 'failed', error_name: 'StoppedError' }]);
    expect((await ended).body).toMatchObject({ has_error: true });
  });
});
