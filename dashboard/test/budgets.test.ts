/**
 * Size and cost of the dashboard, compared with `budgets.json`. Kilobytes are those of gzip. Times are processor time of the page's
 * main thread, which depends less on the load of the machine than the time that passes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { newAccount } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import budgets from '../budgets.json' with { type: 'json' };
import { hasChromium, isLoaded, openDashboard, signIn, useChromium } from './browser.ts';

const dist = join(import.meta.dirname, '../dist');
const kilobytes = (name: string): number => gzipSync(readFileSync(join(dist, name))).length / 1_000;

test('files', () => {
  const index = readFileSync(join(dist, 'index.html'), 'utf8');
  const first = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  const later = readdirSync(join(dist, 'assets'))
    .map((name) => `assets/${name}`)
    .filter((name) => !first.includes(name));
  expect(first.reduce((sum, name) => sum + kilobytes(name), 0)).toBeLessThan(budgets.firstLoadKilobytes);
  expect(first.length).toBeLessThan(budgets.firstLoadRequests);
  expect(Math.max(...later.map(kilobytes))).toBeLessThan(budgets.largestLaterKilobytes);
});

/** Returns the function that reads the processor time of the page's tasks, in milliseconds. */
async function processorTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
}

describe.runIf(hasChromium)('processor time', () => {
  useChromium();

  test('of the first load, of signing in until the overview is complete, and of opening a page', async () => {
    const { key } = await newAccount();
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    const now = await processorTime(page);
    await open();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const loaded = await now();
    expect(loaded).toBeLessThan(budgets.firstLoadProcessorMs);
    await signIn(page, key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await isLoaded(page);
    const signedIn = await now();
    expect(signedIn - loaded).toBeLessThan(budgets.signInProcessorMs);
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByText('No groups yet').waitFor();
    await isLoaded(page);
    const opened = await now();
    expect(opened - signedIn).toBeLessThan(budgets.pageProcessorMs);
    console.log(
      `processor time: first load ${loaded.toFixed()} ms, sign-in ${(signedIn - loaded).toFixed()} ms, page ${(opened - signedIn).toFixed()} ms`,
    );
  });
});
