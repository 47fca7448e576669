/** The documentation site: its build, and its pages in a browser. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { hasChromium, launchChromium } from '@latchkey/testing/chromium';
import { expectAccessible, expectFits } from '@latchkey/testing/page-checks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveLink } from './.vitepress/links.ts';

const root = join(import.meta.dirname, '..');
const dist = join(import.meta.dirname, '.vitepress/dist');
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Serves the built files, compressed, as any server of static files. */
function serveFiles(): Server {
  return createServer(({ url = '/' }, reply) => {
    const { pathname } = new URL(url, 'http://127.0.0.1');
    const path = join(dist, decodeURI(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    if (!path.startsWith(dist) || !existsSync(path)) return void reply.writeHead(404).end();
    const type = types[extname(path)];
    if (type === undefined) return void reply.end(readFileSync(path));
    reply
      .writeHead(200, { 'Content-Type': type, 'Content-Encoding': 'gzip' })
      .end(gzipSync(readFileSync(path)));
  });
}

const server = serveFiles();
let origin: string;
beforeAll(async () => {
  await promisify(execFile)('npm', ['run', '-s', 'docs', '--', 'build'], { cwd: root, maxBuffer: 1 << 24 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 300_000);
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('links', () => {
  const html = (path: string): string => readFileSync(join(dist, path), 'utf8');
  const matches = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, found = '']) => found);

  test('lead to pages, headings and files of the site', () => {
    const paths = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.html'),
    );
    expect(paths.length).toBeGreaterThan(60);
    const ids = new Map(paths.map((path) => [path, new Set(matches(html(path), / id="([^"]+)"/g))]));
    const isBroken = (page: string, link: string): boolean => {
      const [path = '', anchor = ''] = link.replaceAll('&amp;', '&').split('#').map(decodeURIComponent);
      const target = path === '' ? page : posix.join(path.startsWith('/') ? '.' : posix.dirname(page), path);
      const file = path.endsWith('/') ? posix.join(target, 'index.html') : target;
      if (!existsSync(join(dist, file)) || statSync(join(dist, file)).isDirectory()) return true;
      return anchor !== '' && ids.get(file)?.has(anchor) === false;
    };
    const broken = paths.flatMap((page) =>
      matches(html(page), / (?:href|src)="([^"]+)"/g)
        .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link) && isBroken(page, link))
        .map((link) => `${page} links ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test('to a page that does not exist fail the build', () => {
    expect(() => resolveLink('docs/actions.md', 'gone.md')).toThrow('docs/actions.md links gone.md');
    expect(() => resolveLink('docs/reference/sdk.md', '../../docs/gone.md')).toThrow(
      'packages/sdk/README.md links',
    );
  });

  test('to files of the repository are text', () => {
    expect(resolveLink('docs/keys.md', '../keynodes')).toEqual({ file: 'keynodes', url: undefined });
    expect(html('keys.html')).not.toContain('href="../keynodes"');
  });
});

test('has a page per topic of both HTTP APIs, the contract, the commands and the packages', () => {
  const text = (path: string): string => readFileSync(join(dist, 'reference', path), 'utf8');
  expect(text('relayer/usage-keys.html')).toContain('POST /core/v1/add_usage_api_key');
  expect(text('triggers/triggers.html')).toContain('POST /api/triggers');
  expect(text('interface.html')).toContain('setUsageApiKey');
  expect(text('commands.html')).toContain('latchkey groups add');
  expect(text('sdk.html')).toContain('ChainSecured mode');
});

describe.runIf(hasChromium)('in a browser', () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  /** Opens a page. The test fails for errors of the page and for requests to another host. */
  async function open(path: string, { width = 1_280, colorScheme = 'light' as 'light' | 'dark' } = {}) {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height: 800 },
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    page.on('request', (request) => void (request.url().startsWith(origin) || faults.push(request.url())));
    await page.goto(origin + path, { waitUntil: 'networkidle' });
    return {
      page,
      [Symbol.asyncDispose]: async () => {
        await context.close();
        expect(faults).toEqual([]);
      },
    };
  }

  test.each([
    ['/', 1_280, 'light'],
    ['/concepts.html', 390, 'dark'],
    ['/recipes.html', 390, 'light'],
    ['/contract.html', 1_280, 'dark'],
    ['/reference/relayer/usage-keys.html', 390, 'light'],
    ['/reference/relayer/usage-keys.html', 1_280, 'dark'],
  ] as const)(
    '%s at %d px, %s: no serious findings of axe, and it fits',
    async (path, width, colorScheme) => {
      await using opened = await open(path, { width, colorScheme });
      await expectFits(opened.page);
      await expectAccessible(opened.page);
    },
  );

  test('the search finds a page, without a server', async () => {
    await using opened = await open('/');
    const { page } = opened;
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('requireApproval');
    const results = page.getByRole('dialog').getByRole('listitem');
    await results.first().waitFor();
    await expectAccessible(page);
    await results.getByRole('link', { name: /Approvals.*In an action/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
  });

  const MBIT = 1_000_000 / 8;
  const LATENCY_MS = 150;
  /** Bytes that 1.5 seconds take on the line of the test, less three round trips. */
  const MAX_BYTES = ((1_500 - 3 * LATENCY_MS) / 1_000) * 1.6 * MBIT;

  // As in dashboard/test/first-load.test.ts: it counts what comes before the text, because the machine can be busy.
  test.each(['/', '/actions.html', '/reference/interface.html'])(
    '%s shows its text first on a slow line',
    async (path) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const devtools = await context.newCDPSession(page);
      await devtools.send('Network.enable');
      const speed = { latency: LATENCY_MS, downloadThroughput: 1.6 * MBIT, uploadThroughput: 0.75 * MBIT };
      await devtools.send('Network.emulateNetworkConditions', { offline: false, ...speed });
      let bytes = 0;
      devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await page.route('**/*.js', () => {});
      await page.goto(origin + path, { waitUntil: 'commit' });
      await page.getByRole('heading', { level: 1 }).waitFor();
      const painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
      await expect.poll(() => page.evaluate<number | undefined>(painted)).toBeGreaterThan(0);
      const milliseconds = await page.evaluate<number>(painted);
      console.log(
        `${path}: ${(bytes / 1_000).toFixed()} KB before the text, painted after ${milliseconds.toFixed()} ms`,
      );
      expect(bytes).toBeLessThan(MAX_BYTES);
      await context.close();
    },
  );
});
