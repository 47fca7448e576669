/**
 * Size and cost of the dashboard, compared with `budgets.json`. Sizes are compressed. Costs are processor time of the page's main thread,
 * in multiples of the time in which a page of the same browser evaluates axe-core, so that the speed of the machine matters little. The
 * limits of costs are 1.5 times the measured values.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasChromium } from '@latchkey/testing/chromium';
import { newAccount } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import budgets from '../budgets.json' with { type: 'json' };
import { axeSource, isLoaded, openDashboard, signIn, useChromium } from './browser.ts';

const dist = join(import.meta.dirname, '../dist');
/** Small files have no compressed copy. */
function kilobytes(name: string): number {
  const copy = join(dist, `${name}.br`);
  return statSync(existsSync(copy) ? copy : join(dist, name)).size / 1_000;
}

test('files', () => {
  const index = readFileSync(join(dist, 'index.html'), 'utf8');
  const first = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  const later = readdirSync(join(dist, 'assets'))
    .map((name) => `assets/${name}`)
    .filter((name) => !first.includes(name) && /\.(js|css)$/.test(name));
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

/** Returns the processor time of a new page that evaluates axe-core. */
async function measureBaseline(): Promise<number> {
  await using baseline = await openDashboard();
  const now = await processorTime(baseline.page);
  await baseline.page.evaluate(axeSource);
  return await now();
}

/** Returns the processor times of the first load, of signing in until the overview is complete, and of opening a page. */
async function measureDashboard(key: string): Promise<[number, number, number]> {
  await using dashboard = await openDashboard();
  const { page, open } = dashboard;
  const now = await processorTime(page);
  await open();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const loaded = await now();
  await signIn(page, key);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await isLoaded(page);
  const signedIn = await now();
  await page.getByRole('link', { name: 'Groups' }).click();
  await page.getByText('No groups yet').waitFor();
  await isLoaded(page);
  return [loaded, signedIn - loaded, (await now()) - signedIn];
}

const ROUNDS = 3;

describe.runIf(hasChromium)('processor time', () => {
  useChromium();

  test('of the first load, of signing in until the overview is complete, and of opening a page', async () => {
    const { key } = await newAccount();
    const baselines: number[] = [];
    const rounds: [number, number, number][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      baselines.push(await measureBaseline());
      rounds.push(await measureDashboard(key));
    }
    // Other load on the machine only adds to a time.
    const baseline = Math.min(...baselines);
    const costOf = (index: 0 | 1 | 2) => Math.min(...rounds.map((round) => round[index])) / baseline;
    console.log(
      `beside ${baseline.toFixed()} ms: first load ${costOf(0).toFixed(1)} ×, sign-in ${costOf(1).toFixed(1)} ×, page ${costOf(2).toFixed(1)} ×`,
    );
    expect(costOf(0)).toBeLessThan(budgets.firstLoadCost);
    expect(costOf(1)).toBeLessThan(budgets.signInCost);
    expect(costOf(2)).toBeLessThan(budgets.pageCost);
  });
});
