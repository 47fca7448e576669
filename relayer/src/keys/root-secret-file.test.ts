import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  loadOrCreateRootSecret as load,
  RootSecretError,
  type RootSecretOptions,
} from './root-secret-file.ts';

const directory = await mkdtemp(join(tmpdir(), 'latchkey-root-secret-'));
afterAll(() => rm(directory, { recursive: true }));

const passphrase = '11'.repeat(32);

const loadOrCreateRootSecret = (options: Omit<RootSecretOptions, 'isPublic'>) =>
  load({ ...options, isPublic: false });

describe('the first start', () => {
  test('creates one file, readable by its owner only, without the plain secret', async () => {
    const path = join(directory, 'new', 'deep', 'root.json');
    const secret = await loadOrCreateRootSecret({ path, passphrase });
    expect(secret.length).toBe(32);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, 'new', 'deep'))).mode & 0o777).toBe(0o700);
    expect(await readFile(path, 'utf8')).not.toContain(Buffer.from(secret).toString('hex'));
    expect(await readdir(join(directory, 'new', 'deep'))).toEqual(['root.json']);
  });

  test('creates a different root secret each time', async () => {
    const [a, b] = await Promise.all(
      ['a.json', 'b.json'].map((name) => loadOrCreateRootSecret({ path: join(directory, name), passphrase })),
    );
    expect(a).not.toEqual(b);
  });

  test('gives concurrent processes the same root secret', async () => {
    const path = join(directory, 'raced.json');
    const script = `
      import { loadOrCreateRootSecret } from ${JSON.stringify(new URL('./root-secret-file.ts', import.meta.url).href)};
      const secret = await loadOrCreateRootSecret({ path: ${JSON.stringify(path)}, passphrase: 'p', isPublic: false });
      console.log(Buffer.from(secret).toString('hex'));`;
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', script]);
    const outputs = await Promise.all([run(), run(), run()]);
    const secret = await loadOrCreateRootSecret({ path, passphrase: 'p' });
    const mine = Buffer.from(secret).toString('hex');
    expect(outputs.map(({ stdout }) => stdout.trim())).toEqual([mine, mine, mine]);
  });
});

describe('a later start', () => {
  const path = () => join(directory, 'kept.json');
  let first: Uint8Array;
  let content: string;
  beforeAll(async () => {
    first = await loadOrCreateRootSecret({ path: path(), passphrase });
    content = await readFile(path(), 'utf8');
  });

  test('reads the same secret and does not change the file', async () => {
    expect(await loadOrCreateRootSecret({ path: path(), passphrase })).toEqual(first);
    expect(await readFile(path(), 'utf8')).toBe(content);
  });

  test('rejects a wrong passphrase with its own message', async () => {
    await expect(loadOrCreateRootSecret({ path: path(), passphrase: 'wrong' })).rejects.toThrow(
      new RootSecretError(`the passphrase does not open ${path()}: check ROOT_SECRET_PASSPHRASE`),
    );
    expect(await readFile(path(), 'utf8')).toBe(content);
  });

  test('rejects what was sealed with the passphrase while it was public', async () => {
    const local = join(directory, 'local.json');
    await load({ path: local, passphrase: 'local', isPublic: true });
    await expect(load({ path: local, passphrase: 'local', isPublic: false })).rejects.toThrow(
      RootSecretError,
    );
  });

  test('rejects an empty passphrase', async () => {
    await expect(loadOrCreateRootSecret({ path: path(), passphrase: '' })).rejects.toThrow('passphrase');
  });

  test.each([
    ['empty', () => ''],
    ['cut', () => content.slice(0, -20)],
    ['of another version', () => content.replace('"version": 1', '"version": 2')],
    [
      'changed in one digit',
      () => content.replace(/("sealed": ")(.)/, (_, a, b) => a + (b === '0' ? '1' : '0')),
    ],
    ['something else', () => '{"a":1}'],
  ])('reports a file that is %s as damaged, and keeps it', async (name, damage) => {
    const damaged = join(directory, `damaged ${name}.json`);
    await writeFile(damaged, damage(), { mode: 0o600 });
    await expect(loadOrCreateRootSecret({ path: damaged, passphrase })).rejects.toThrow(/is damaged/);
    expect(await readFile(damaged, 'utf8')).toBe(damage());
  });

  test('rejects a file that others can read', async () => {
    const open = join(directory, 'open.json');
    await writeFile(open, content);
    await chmod(open, 0o644);
    await expect(loadOrCreateRootSecret({ path: open, passphrase })).rejects.toThrow(
      /accessible to other users/,
    );
  });
});
