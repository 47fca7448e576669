import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig, serveDashboard } from './index.ts';

const resources = new AsyncDisposableStack();
const dashboard = { relayerUrl: 'https://api.example.com', triggersUrl: 'https://triggers.example.com/' };
let url: string;
let directory: string;

beforeAll(async () => {
  directory = resources.use(temporaryDirectory('/tmp')).path;
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<title>Latchkey</title>');
  writeFileSync(join(directory, 'assets', 'main-1.js'), 'export {};');
  writeFileSync(join(directory, 'assets', 'main-1.js.br'), brotliCompressSync('export {};'));
  ({ url } = resources.use(await serveDashboard({ directory, dashboard, host: '127.0.0.1', port: 0 })));
});
afterAll(() => resources.disposeAsync());

test('sends the page for every path without a file, with headers that permit its own services only', async () => {
  const reply = await fetch(`${url}/actions/0x12?page=2`);
  expect(await reply.text()).toBe('<title>Latchkey</title>');
  expect(reply.headers.get('cache-control')).toBe('no-cache');
  expect(reply.headers.get('content-security-policy')).toContain(
    "connect-src 'self' https://api.example.com https://triggers.example.com https://api.stripe.com;",
  );
  expect(reply.headers.get('x-frame-options')).toBe('DENY');
});

test('sends its settings as config.json', async () => {
  expect(await (await fetch(`${url}/config.json`)).json()).toEqual(dashboard);
});

test('sends compressed copies, and keeps files that never change', async () => {
  const reply = await fetch(`${url}/assets/main-1.js`, { headers: { 'Accept-Encoding': 'br' } });
  expect(reply.headers.get('content-encoding')).toBe('br');
  expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(await reply.text()).toBe('export {};');
});

test.each([
  '/assets/main-2.js',
  '/assets/../../etc/passwd',
  '/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '/assets/%00',
])('%s shows no file and no path of the machine', async (path) => {
  const reply = await fetch(url + path);
  const text = await reply.text();
  expect(text).not.toMatch(/root:|node_modules|\/tmp\//);
});

test('a directory without a page is refused at the start', async () => {
  const options = { directory: join(directory, 'assets'), dashboard, host: '127.0.0.1', port: 0 };
  await expect(serveDashboard(options)).rejects.toThrow(
    /index\.html is missing: run npm run build -w dashboard/,
  );
});

test('names wrong settings', () => {
  expect(() => loadConfig({ RELAYER_URL: 'ftp://x', CONTRACT_ADDRESS: '0x12' })).toThrow(
    /RELAYER_URL: .*\nTRIGGERS_URL: .*\nCONTRACT_ADDRESS: expected 0x and 40 hex digits/,
  );
});
