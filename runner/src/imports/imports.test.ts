import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCdn } from '../../test/cdn.ts';
import { createImports } from './imports.ts';
import { hashOfModule, openModuleStore } from './module-store.ts';

const MIB = 2 ** 20;
type Replies = Parameters<typeof startCdn>[0];

/** Starts a CDN with these modules. `open` starts a runner's imports on one directory. */
async function start(replies: Replies = {}) {
  const cdn = await startCdn(replies);
  const directory = await mkdtemp(join(tmpdir(), 'imports-'));
  onTestFinished(async () => {
    await cdn[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });
  const open = async (maxBytes = 100 * MIB) =>
    createImports({ cdnUrl: cdn.cdnUrl, store: await openModuleStore(directory, maxBytes) });
  return { cdn, open, directory, contents: join(directory, 'contents') };
}
const one = { '/npm/one@1.0.0/+esm': { body: 'export default 1' } };
const hash = hashOfModule(Buffer.from('export default 1'));

test('downloads a module once, also for concurrent imports and after a restart', async () => {
  const { cdn, open } = await start(one);
  const imports = await open();
  const both = await Promise.all([imports.load('one@1.0.0', null), imports.load('one@1.0.0', null)]);
  for (const loaded of both)
    expect(loaded).toEqual({
      url: `${cdn.cdnUrl}/one@1.0.0/+esm`,
      hash,
      source: Buffer.from('export default 1'),
    });
  await imports.load('one@1.0.0', null);
  await (await open()).load('one@1.0.0', null);
  expect(cdn.requests).toEqual(['/npm/one@1.0.0/+esm']);
});

test('accepts the hash of an import, and refuses another one', async () => {
  const { open } = await start(one);
  const imports = await open();
  const other = hashOfModule(Buffer.from('other'));
  await expect(imports.load(`one@1.0.0#${other}`, null)).rejects.toMatchObject({
    name: 'ImportError',
    message: expect.stringContaining(`has the hash ${hash}, the import has ${other}`),
  });
  expect((await imports.load(`one@1.0.0#${hash}`, null)).hash).toBe(hash);
});

test('refuses a module that has changed since its first use, unless the import has its hash', async () => {
  const { cdn, open, contents } = await start(one);
  await (await open()).load('one@1.0.0', null);
  cdn.replies['/npm/one@1.0.0/+esm'] = { body: 'export default 2' };
  await rm(contents, { recursive: true });
  const imports = await open();
  await expect(imports.load('one@1.0.0', null)).rejects.toThrow('has changed since its first use');
  const changed = hashOfModule(Buffer.from('export default 2'));
  expect((await imports.load(`one@1.0.0#${changed}`, null)).hash).toBe(changed);
  await expect(imports.load('one@1.0.0', null)).rejects.toThrow('has changed since its first use');
});

test('the first of two first uses counts, also of two runners', async () => {
  const { cdn, open } = await start(one);
  const [a, b] = [await open(), await open()];
  const first = a.load('one@1.0.0', null);
  await expect.poll(() => cdn.requests.length).toBe(1);
  cdn.replies['/npm/one@1.0.0/+esm'] = { body: 'export default 2' };
  const loaded = await Promise.allSettled([first, b.load('one@1.0.0', null)]);
  const hashes = loaded.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value.hash : outcome.reason.name,
  );
  expect(new Set([...hashes, 'ImportError']).size).toBe(2);
  expect((await (await open()).load('one@1.0.0', null)).hash).toBe(
    hashes.find((text) => text !== 'ImportError'),
  );
});

test('downloads a module again when the cached one is damaged', async () => {
  const { cdn, open, contents } = await start(one);
  await (await open()).load('one@1.0.0', null);
  const [name = ''] = await readdir(contents);
  await writeFile(join(contents, name), 'export default 666');
  expect((await (await open()).load('one@1.0.0', null)).source.toString()).toBe('export default 1');
  expect(cdn.requests).toHaveLength(2);
  expect(await readFile(join(contents, name), 'utf8')).toBe('export default 1');
});

test('deletes the least recently used modules above the limit, and keeps their hashes', async () => {
  const body = '/'.repeat(MIB);
  const replies = Object.fromEntries([1, 2, 3].map((n) => [`/npm/m@1.0.${n}/+esm`, { body: `${body}${n}` }]));
  const { cdn, open, contents } = await start(replies);
  const imports = await open(2.5 * MIB);
  for (const n of [1, 2, 3]) await imports.load(`m@1.0.${n}`, null);
  expect(await readdir(contents)).toHaveLength(2);
  cdn.replies['/npm/m@1.0.1/+esm'] = { body: 'other' };
  await expect((await open()).load('m@1.0.1', null)).rejects.toThrow('has changed since its first use');
});

test.each<[string, Replies, string]>([
  ['a missing module', {}, 'does not exist on the CDN'],
  [
    'a redirect',
    { '/npm/one@1.0.0/+esm': { status: 302, headers: { location: '/npm/one@1.0.1/+esm' } } },
    'is a redirect',
  ],
  [
    'a page',
    { '/npm/one@1.0.0/+esm': { headers: { 'content-type': 'text/html' }, body: '<html>' } },
    'is not JavaScript: its type is text/html',
  ],
  ['a failure', { '/npm/one@1.0.0/+esm': { status: 503 } }, 'the CDN returned 503. Run the action again'],
  ['a refusal', { '/npm/one@1.0.0/+esm': { status: 403 } }, 'the CDN returned 403'],
  [
    'more than 10 MiB',
    { '/npm/one@1.0.0/+esm': { body: '/'.repeat(10 * MIB + 1) } },
    'has more than 10485760 bytes',
  ],
])('refuses %s', async (_, replies, reason) => {
  const { open } = await start(replies);
  await expect((await open()).load('one@1.0.0', null)).rejects.toMatchObject({
    name: 'ImportError',
    message: expect.stringContaining(reason),
  });
});

test('asks the CDN a second time when it does not answer', async () => {
  const { cdn, open } = await start({ '/npm/one@1.0.0/+esm': { status: 500 } });
  const loading = (await open()).load('one@1.0.0', null);
  await expect.poll(() => cdn.requests.length).toBe(1);
  Object.assign(cdn.replies, one);
  expect((await loading).hash).toBe(hash);
});
