/** Checks of a page in the browser: accessibility (axe), and that it fits the screen. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] };

/** Expects no serious finding of axe on what the page shows. A dialog has its name only after it is drawn. */
export async function expectAccessible(page: Page): Promise<void> {
  // As an argument of evaluate: the Content-Security-Policy of a page can forbid script elements.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axeSource);
  await expect.poll(() => seriousFindings(page), { timeout: 5_000 }).toEqual([]);
}

async function seriousFindings(page: Page): Promise<string[]> {
  const violations = await page.evaluate<Violation[]>(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Expects nothing to be wider than the page. */
export async function expectFits(page: Page): Promise<void> {
  // Navigation can move for a moment after a change of the width.
  await expect
    .poll(() => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'))
    .toBeLessThanOrEqual(0);
}
