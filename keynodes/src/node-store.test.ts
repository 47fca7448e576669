import { copyFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passphraseKey } from '@latchkey/service/passphrase-key';
import { expect, onTestFinished, test } from 'vitest';
import { openNodeStore as openWith } from './node-store.ts';
import { createShares } from './shares.ts';
import { generateGroup } from './testing.ts';

const PASSPHRASE = '11'.repeat(32);

const openNodeStore = (path: string, passphrase: string, ...previous: string[]) =>
  openWith(path, [passphraseKey(passphrase), ...previous.map((text) => passphraseKey(text))]);

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'keynode-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

test('keeps its identity and shares, sealed', async () => {
  const path = await directory();
  const store = await openNodeStore(path, PASSPHRASE);
  const [share = null] = generateGroup(2, 2);
  await Promise.all([store.change(() => ({ current: share })), store.change(() => ({ next: share }))]);
  const opened = await openNodeStore(path, PASSPHRASE);
  expect(opened.read()).toEqual({ ...store.read(), current: share, next: share });
  const text = await readFile(join(path, 'node.json'), 'utf8');
  expect(text).not.toContain(share?.secret);
  expect(text).not.toContain(store.read().identity);
});

test('does not open with another passphrase, nor a changed file, and leaves the file as it is', async () => {
  const path = await directory();
  await openNodeStore(path, PASSPHRASE);
  const file = join(path, 'node.json');
  const text = await readFile(file, 'utf8');
  await expect(openNodeStore(path, 'another passphrase')).rejects.toThrow('does not open');
  expect(await readFile(file, 'utf8')).toBe(text);
  await writeFile(file, text.replace('"version":2', '"version":1'));
  await expect(openNodeStore(path, PASSPHRASE)).rejects.toThrow('is damaged or of another version');
  expect(await readFile(file, 'utf8')).toBe(text.replace('"version":2', '"version":1'));
  await writeFile(file, text);
  await openNodeStore(path, PASSPHRASE);
});

test('seals its file again with a new passphrase', async () => {
  const path = await directory();
  const { identity } = (await openNodeStore(path, PASSPHRASE)).read();
  const next = 'the next passphrase';
  expect((await openNodeStore(path, next, PASSPHRASE)).read().identity).toBe(identity);
  expect((await openNodeStore(path, next)).read().identity).toBe(identity);
  await expect(openNodeStore(path, PASSPHRASE)).rejects.toThrow('does not open');
});

test('derives no other key for a file that the first one opens', async () => {
  const path = await directory();
  const first = passphraseKey(PASSPHRASE);
  const unused = () => Promise.reject(new Error('derived'));
  await openWith(path, [first, unused]);
  await openWith(path, [first, unused]);
  const other = passphraseKey('22'.repeat(32));
  await expect(openWith(path, [other, unused])).rejects.toThrow('derived');
});

test('replaces the current share by the next one when its group is published', async () => {
  const store = await openNodeStore(await directory(), PASSPHRASE);
  const [old = null] = generateGroup(2, 2, 1);
  const [next = null] = generateGroup(2, 2, 2);
  await store.change(() => ({ current: old, next }));
  const shares = createShares(store);
  expect((await shares.ofPublished(old?.parameters ?? ''))?.share.epoch).toBe(1);
  expect(await shares.ofPublished('')).toBeUndefined();
  expect((await shares.ofPublished(next?.parameters ?? ''))?.share.epoch).toBe(2);
  expect(store.read()).toMatchObject({ current: next, next: null });
  expect(await shares.ofPublished(old?.parameters ?? '')).toBeUndefined();
});

test('does not use a share that does not belong to its group', async () => {
  const store = await openNodeStore(await directory(), PASSPHRASE);
  const [first, second] = generateGroup(2, 2);
  if (!first || !second) throw new Error('no group');
  await store.change(() => ({ current: { ...first, secret: second.secret } }));
  await expect(createShares(store).ofPublished(first.parameters)).rejects.toThrow('does not match');
});

test('a store that another process took over can no longer be changed', async () => {
  const path = await directory();
  const [old, next] = generateGroup(2, 2);
  const paused = await openNodeStore(path, PASSPHRASE);
  await paused.change(() => ({ current: old ?? null }));
  const store = await openNodeStore(path, PASSPHRASE);
  await store.change(() => ({ current: next ?? null }));
  await expect(paused.change(() => ({ current: null }))).rejects.toThrow('another process has taken');
  expect(paused.read().current).toEqual(old);
  expect((await openNodeStore(path, PASSPHRASE)).read().current).toEqual(next);
  expect(await readdir(path)).toEqual(['node.json']);
});

test('a change that was paused before its last step is lost', async () => {
  const path = await directory();
  const file = join(path, 'node.json');
  const [share = null] = generateGroup(2, 2);
  await openNodeStore(path, PASSPHRASE);
  const paused = join(path, 'node.json.01.new');
  await copyFile(file, paused);
  const store = await openNodeStore(path, PASSPHRASE);
  await expect(rename(paused, file)).rejects.toThrow('ENOENT');
  await store.change(() => ({ current: share }));
});
