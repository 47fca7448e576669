/** The first load as the stack serves it, on a slow line. It counts, and measures no time. */
import { hasChromium } from '@latchkey/testing/chromium';
import { describe, expect, test } from 'vitest';
import budgets from '../budgets.json' with { type: 'json' };
import { openDashboard, useChromium } from './browser.ts';

const MBIT = 1_000_000 / 8;

describe.runIf(hasChromium)('first load', () => {
  useChromium();

  test('needs few requests and bytes until the sign-in page is complete', async () => {
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 1.6 * MBIT,
      uploadThroughput: 0.75 * MBIT,
    });
    const urls: string[] = [];
    let bytes = 0;
    devtools.on('Network.requestWillBeSent', ({ request: { url } }) => {
      if (url.startsWith('http')) urls.push(url);
    });
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await open();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.waitForLoadState('networkidle');
    console.log(`first load: ${urls.length} requests, ${(bytes / 1_000).toFixed()} KB`);
    expect(urls.length, urls.join('\n')).toBeLessThanOrEqual(budgets.firstLoadRequests);
    // With gzip: browsers accept Brotli over HTTPS only.
    expect(bytes / 1_000).toBeLessThanOrEqual(budgets.firstLoadHttpKilobytes);
  });

  test('has a font of its own, and no line moves when it comes after the page', async () => {
    await using dashboard = await openDashboard();
    const { page, open } = dashboard;
    await page.addInitScript(() => {
      const moved: string[] = [];
      Object.assign(window, { moved });
      type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries() as Shift[])
          moved.push(`${value}: ${sources.map(({ node }) => node?.textContent?.slice(0, 40)).join(', ')}`);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const isDrawn = Promise.withResolvers<void>();
    await page.route('**/*.woff2', async (route) => {
      await isDrawn.promise;
      await route.continue();
    });
    const opened = open();
    const button = page.getByRole('button', { name: 'Sign in' });
    await button.waitFor();
    const heightOf = () => button.evaluate((element) => element.getBoundingClientRect().height);
    const before = await heightOf();
    isDrawn.resolve();
    await opened;
    await expect.poll(() => page.evaluate("document.fonts.check('16px Instrument Sans')")).toBe(true);
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    expect(await heightOf()).toBe(before);
    expect(await button.evaluate((element) => getComputedStyle(element).fontFamily)).toMatch(
      /^"Instrument Sans", /,
    );
    // Centred words move by a pixel or two. A line that wraps anew is above it.
    const moved = await page.evaluate<string[]>('moved');
    const shift = moved.map((text) => Number.parseFloat(text)).reduce((sum, value) => sum + value, 0);
    expect(shift, moved.join('\n')).toBeLessThan(0.0005);
  });

  test('shows the page before its scripts, in both colour schemes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using dashboard = await openDashboard({ colorScheme });
      const { page, open } = dashboard;
      await page.route('**/*.js', () => {});
      void open().catch(() => {});
      await page.getByText('Loading…').waitFor();
      const [color] = await page
        .getByRole('status')
        .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).color));
      expect(color).toBe(colorScheme === 'light' ? 'rgb(0, 0, 0)' : 'rgb(201, 201, 201)');
    }
  });
});
