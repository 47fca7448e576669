/**
 * Another language, without a change of a component: a build whose catalogue has the English messages in brackets, under the tag of German, so
 * that numbers are German. A text outside of brackets does not come from the catalogue.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasChromium } from '@latchkey/testing/chromium';
import { stack } from '@latchkey/testing/stack';
import type { Page } from 'playwright-core';
import { build, type Plugin } from 'vite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import english from '../locales/en.json' with { type: 'json' };
import { t } from '../src/i18n.ts';
import { newManagedAccount } from './accounts.ts';
import { expectFits, isLoaded, openDashboard, useChromium } from './browser.ts';

const root = join(import.meta.dirname, '..');
const bracketed = Object.fromEntries(Object.keys(english).map((message) => [message, `⟦${message}⟧`]));

/** Adds the language to the build, in the one file that lists languages. */
const otherLanguage: Plugin = {
  name: 'other-language',
  load: (id) =>
    id.endsWith('/src/catalogues.ts')
      ? `export const catalogues = { de: async () => (${JSON.stringify(bracketed)}) };`
      : null,
};

test('messages have plurals, numbers, elements and tags', () => {
  expect(t('Save')).toBe('Save');
  expect(t('{count, plural, one {# run} other {# runs}}', { count: 1 })).toBe('1 run');
  expect(t('{count, plural, one {# run} other {# runs}}', { count: 1_234 })).toBe('1,234 runs');
  expect(t('{count} of {all}', { count: 0, all: 5n })).toBe('0 of 5');
  expect(t('{missing}.', { missing: undefined })).toBe('.');
  expect(t('{name} is gone', { name: '<b>{name}</b>' })).toBe('<b>{name}</b> is gone');
  const link = (inner: unknown) => ({ link: inner });
  const rich = t('Go to <link>billing</link>.', { link } as never);
  expect(rich).toMatchObject({ props: { children: ['Go to ', { link: 'billing' }, '.'] } });
});

/** Words of the page that are not in brackets. Code and what people have entered have no language. */
const wordsOutside = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const outside: string[] = [];
    let depth = 0;
    const read = (text: string): void => {
      let rest = '';
      for (const character of text) {
        if (character === '⟦') depth++;
        else if (character === '⟧') depth--;
        else if (depth === 0) rest += character;
      }
      if (/\p{L}{2}/u.test(rest)) outside.push(rest.trim());
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const parent = texts.currentNode.parentElement;
      if (parent && !parent.closest('code, pre, time, bdi, script, style, noscript, .cm-editor'))
        read(texts.currentNode.textContent ?? '');
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [alt]'))
      for (const name of ['aria-label', 'placeholder', 'alt']) read(element.getAttribute(name) ?? '');
    return outside;
  });

/** Names, identifiers, chains, routes, and the texts of the services about credit, which are the same in each language. */
const NAMES = /^(Latchkey|test|GET|POST|.+ \(\d+\))$|^0x|^\/core\/|\w_\w| credit$/;

describe.runIf(hasChromium)('another language', () => {
  useChromium();
  const outDir = mkdtempSync(join(tmpdir(), 'dashboard-'));
  beforeAll(async () => {
    // As `npm run build` has it: tests have another one.
    vi.stubEnv('NODE_ENV', 'production');
    await build({
      root,
      configFile: join(root, 'vite.config.ts'),
      plugins: [otherLanguage],
      logLevel: 'error',
      build: { outDir },
    });
    vi.unstubAllEnvs();
    // A build takes minutes on a busy machine.
  }, 300_000);
  afterAll(() => rmSync(outDir, { recursive: true }));

  /** Serves the scripts of the build in place of the stack's. */
  async function serve(page: Page): Promise<void> {
    await page.addInitScript(() =>
      Object.defineProperty(navigator, 'languages', { get: () => ['fr', 'de-AT', 'en'] }),
    );
    const html = readFileSync(join(outDir, 'index.html'), 'utf8');
    const entry = [...html.matchAll(/src="(\/assets\/[^"]+)"/g)].at(-1)?.[1];
    // The document is the stack's: Chromium lets no other one ask services of this computer. Its script becomes that of the build.
    await page.route(`${stack.dashboardUrl}/assets/*.js`, (route) => {
      const file = join(outDir, new URL(route.request().url()).pathname);
      return existsSync(file)
        ? route.fulfill({ path: file })
        : route.fulfill({ contentType: 'text/javascript', body: `import '${entry}';` });
    });
  }

  test('is on every page of an account, with its numbers', async () => {
    const account = await newManagedAccount();
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    await serve(page);
    await open();
    await page.getByRole('button', { name: '⟦Sign in⟧' }).waitFor();
    expect((await wordsOutside(page)).filter((text) => !NAMES.test(text))).toEqual([]);
    await page.locator('input[type=password]').first().fill(account.key);
    await page.getByRole('button', { name: '⟦Sign in⟧' }).click();
    const pages = page.getByRole('navigation', { name: '⟦Pages⟧' });
    await pages.waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
    const found: { [path: string]: string[] } = {};
    for (const link of await pages.getByRole('link').all()) {
      await link.click();
      await isLoaded(page);
      const outside = (await wordsOutside(page)).filter((text) => !NAMES.test(text));
      if (outside.length > 0) found[new URL(page.url()).pathname] = outside;
    }
    expect(found).toEqual({});
    await pages.getByRole('link', { name: '⟦Billing⟧' }).click();
    await page.getByText('1.000,00').first().waitFor();
    await page.setViewportSize({ width: 375, height: 700 });
    await expectFits(page);
  });
});
