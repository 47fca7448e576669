import { hasChromium } from '@latchkey/testing/chromium';
import { describe, expect, test } from 'vitest';
import { curlOf } from '../src/pages/requests/curl.ts';
import { readShown } from '../src/pages/requests/shown.ts';
import { addRunner, modes, newAccountIn, openSignedIn, runCode } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

test('the command has places for the key, the body and the values of the path', () => {
  expect(curlOf('https://api.example/', { method: 'POST', route: '/core/v1/add_group' })).toBe(
    `curl -s -X POST 'https://api.example/core/v1/add_group' \\\n  -H "X-Api-Key: $LATCHKEY_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d @body.json`,
  );
  const { length } = curlOf('https://api.example', { method: 'GET', route: "/run/:id'; rm -rf '" }).split(
    "'",
  );
  expect(length).toBe(3);
});

test('the search parameters of the page name one well-formed filter', () => {
  expect(readShown({ outcome: 'refused', route: '/core/v1/x' })).toEqual({ outcome: 'refused' });
  expect(readShown({ route: '/core/v1/run/:id' })).toEqual({ route: '/core/v1/run/:id' });
  for (const search of [{ outcome: 'toString' }, { key: '0x1' }, { route: 'x y' }, {}])
    expect(readShown(search)).toEqual({});
});

describe.runIf(hasChromium)('requests', () => {
  useChromium();

  test.each(modes)('shows requests as they end, filters them, and copies one: %s', async (mode) => {
    const account = await newAccountIn(mode);
    const usageKey = await addRunner(account);
    await using dashboard = await openSignedIn(account, { path: '/requests', width: 375 });
    const { page, sign } = dashboard;
    await sign();
    await page.getByRole('table', { name: 'Requests' }).waitFor();
    await runCode(usageKey, 'function main() { return 1 }');
    const run = page.getByRole('row', { name: /POST \/core\/v1\/svc_action/ });
    if (mode === 'chainSecured')
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Refresh' }).click();
          return run.count();
        })
        .toBe(1);
    await run.getByText('$0.01').waitFor();
    await run.getByText('Server').waitFor();
    await run.getByRole('button', { name: 'Copy as curl' }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'Refused' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=refused');
    await page.getByText('No requests').waitFor();
  });
});
