/** Actions from a file, on the shared stack. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cidOf } from '@latchkey/protocol';
import { cidHash, createClient } from '@latchkey/sdk';
import { addUsageKey, get, newAccount, stack } from '@latchkey/testing/stack';
import { verifyMessage } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, describe, expect, test } from 'vitest';
import { type Ended, inHome, isSafe, newHome } from './latchkey.ts';

const sample = (file: string) => join(import.meta.dirname, 'sample', file);

// A test starts several processes.
const timeout = 300_000;

const { key: accountKey } = await newAccount();
const usageKey = await addUsageKey(accountKey, { execute_in_groups: [0] });
const directory = await mkdtemp(join(tmpdir(), 'latchkey-actions-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs `latchkey actions …`. */
function latchkey(
  args: string[],
  env: Record<string, string> = { LATCHKEY_USAGE_KEY: usageKey },
  onOutput?: (text: string, interrupt: () => void) => void,
): Promise<Ended> {
  return inHome(directory)(['actions', ...args], { env, ...(onOutput && { onOutput }) });
}
async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

describe('run', { timeout }, () => {
  test('--local bundles a TypeScript module, and prints its output and its response', async () => {
    const ended = await latchkey(['run', sample('sign.ts'), '--local', '--param', 'name=you'], {});
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^signing for you\n/m) });
    expect(ended.stderr).toMatch(/^run [0-9a-f-]{36}: success, \d+ cents?\n$/m);
    const { address, signature } = JSON.parse(ended.stdout);
    expect(await verifyMessage({ address, message: 'hello you', signature })).toBe(true);
  });

  test('--local refuses a URL that is not on this machine', async () => {
    for (const url of ['https://relayer.example.com', 'http://127.0.0.1.example.com', 'http://0.0.0.0:9'])
      expect(await latchkey(['run', sample('sign.ts'), '--local'], { LATCHKEY_URL: url })).toEqual({
        code: 2,
        stdout: '',
        stderr: `${url} is not a local stack\nUnset LATCHKEY_URL, or give the URL of a stack on this machine with --url.\n`,
      });
    const localhost = stack.url.replace('127.0.0.1', 'localhost');
    expect((await latchkey(['run', sample('sign.ts'), '--local', '--url', localhost])).code).toBe(0);
  });

  test('takes parameters as JSON, text and from a file', async () => {
    const params = await file('params.json', '{"a": 1, "b": 2}');
    const echo = await file('echo.js', 'const main = (params) => params');
    const args = ['run', echo, '--params', params, '--param', 'b=[3]', '--param', 'c=x=y'];
    expect(JSON.parse((await latchkey(args)).stdout)).toEqual({ a: 1, b: [3], c: 'x=y' });
    expect((await latchkey(['run', sample('script.ts'), '--params', params])).stdout).toBe('3\n');
  });

  test('ends with 1 and the stack of an action that throws', async () => {
    const path = await file('throws.js', 'function main() {\n  throw new RangeError("too much");\n}');
    const { code, stdout, stderr } = await latchkey(['run', path]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/RangeError: too much\n\s+at main \(action.js:2:9\)/);
    expect(stderr).toMatch(/: failed, \d+ cents?$/m);
  });

  test('stops the run on Ctrl-C', async () => {
    const path = await file(
      'sleeps.js',
      'const main = () => { console.log("begun"); return new Promise((done) => setTimeout(done, 60_000)); }',
    );
    let isInterrupted = false;
    const { code, stderr } = await latchkey(['run', path], undefined, (text, interrupt) => {
      if (isInterrupted || !text.includes('begun')) return;
      isInterrupted = true;
      interrupt();
    });
    expect(code).toBe(1);
    expect(stderr).toContain('StoppedError: the run was stopped by its account');
    const id = /run ([0-9a-f-]{36}): failed/.exec(stderr)?.[1];
    expect((await get(`run/${id}`, usageKey)).body).toMatchObject({ error_name: 'StoppedError' });
  });

  test('says what to do without a key, and for a key that is not permitted', async () => {
    const none = await latchkey(['run', sample('script.ts')], {});
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('latchkey keys add --save') });
    const { key } = await newAccount();
    const refused = await latchkey(['run', sample('script.ts')], {
      LATCHKEY_USAGE_KEY: await addUsageKey(key),
    });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('Add the action to a group in execute_in_groups of the key.');
  });
});

test('says which service does not answer', async () => {
  const { code, stderr } = await latchkey(['run', sample('script.ts'), '--url', 'http://127.0.0.1:9']);
  expect([code, stderr]).toEqual([1, 'http://127.0.0.1:9 does not respond\n']);
});

describe('cid and build', { timeout }, () => {
  test('JavaScript stays as it is, byte by byte', async () => {
    const text = '﻿// A comment\r\nconst main = () => "é" ; const later = (m) => import(m.x);';
    const path = await file('plain.js', text);
    expect((await latchkey(['build', path])).stdout).toBe(text);
    expect((await latchkey(['cid', path])).stdout).toBe(`${await cidOf(text)}\n`);
  });

  test('imports of packages stay, relative ones are bundled, types are removed', async () => {
    await file('part.ts', 'export const part = (n: number): number => n + 1;');
    const path = await file(
      'whole.ts',
      `import { z } from 'zod@4.1.12';\nimport { part } from './part.ts';\nfunction main({ n }: { n: number }) { return z.number().parse(part(n)); }\n`,
    );
    const { stdout } = await latchkey(['build', path]);
    expect(stdout).toContain('from "zod@4.1.12"');
    expect(stdout).toContain('function main(');
    expect(stdout).not.toMatch(/from "\.|: number/);
  });

  test('import() of packages stays, of relative files it is bundled', async () => {
    await file('late.ts', 'export const late = 41;');
    const path = await file(
      'dynamic.ts',
      `async function main() { await import('zod@4.1.12'); return (await import('./late.ts')).late; }\n`,
    );
    const { stdout } = await latchkey(['build', path]);
    expect(stdout).toContain('import("zod@4.1.12")');
    expect(stdout).toContain('late = 41');
    expect(stdout).not.toContain('./late.ts")');
  });

  test('refuses an imported file that declares main, unless it is the main of the file', async () => {
    await file('other.ts', 'export const part = 1;\nexport function main() { return "other"; }\n');
    const path = await file('own.ts', `import { part } from './other.ts';\nconst main = () => part;\n`);
    const { code, stdout, stderr } = await latchkey(['build', path]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /other\.ts declares main, which only .*own\.ts can declare: rename it in .*other\.ts/,
    );
    const taken = await file('taken.ts', `export { main } from './other.ts';\n`);
    expect((await latchkey(['build', taken])).stdout).toContain('function main(');
  });

  test('the same file gives the same CID', async () => {
    const cids = await Promise.all(
      [1, 2].map(async () => (await latchkey(['cid', sample('sign.ts')])).stdout),
    );
    expect(cids[0]).toMatch(/^Qm/);
    expect(cids[1]).toBe(cids[0]);
  });

  test('names file and line of a syntax error', async () => {
    const path = await file('broken.ts', 'const main = (: number) => 1;');
    const { code, stderr } = await latchkey(['cid', path]);
    expect(code).toBe(1);
    expect(stderr).toContain('broken.ts:1:');
  });
});

describe('deploy', { timeout }, () => {
  test('registers, takes the place of the earlier version in its groups, and then has nothing to do', async () => {
    const env = { LATCHKEY_ACCOUNT_KEY: accountKey };
    const client = createClient({ url: stack.url, apiKey: accountKey });
    const { groupId } = await client.addGroup({ name: 'deploys', description: '' });
    const path = await file('greet.js', 'const main = () => 1');
    const first = await latchkey(['deploy', path, '--group', String(groupId), '--yes'], env);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Registers the action') });
    const before = (await client.listGroups()).items.find((group) => group.groupId === groupId);

    await file('greet.js', 'const main = () => 2');
    const preview = await latchkey(['deploy', path, '--dry-run'], env);
    expect(preview.stdout).toMatch(
      /^Registers .*^Adds .*^Removes .*^Price: 3 cents\n.*was not deployed\n$/ms,
    );
    expect(await latchkey(['deploy', path], env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect((await client.listGroups()).items.find((group) => group.groupId === groupId)).toEqual(before);

    const second = await latchkey(['deploy', path, '--yes', '--json'], env);
    const { cid } = JSON.parse(second.stdout);
    expect(cid).toBe(await cidOf('const main = () => 2'));
    expect(await client.getActionCode({ cid })).toMatchObject({
      code: 'const main = () => 2',
      replaces: before?.cidHashes[0],
    });
    const after = (await client.listGroups()).items.find((group) => group.groupId === groupId);
    expect(after?.cidHashes).toHaveLength(1);
    expect(after?.cidHashes).not.toEqual(before?.cidHashes);
    expect((await latchkey(['deploy', path], env)).stdout).toBe(`${cid} is deployed already\n`);

    await file('greet.js', 'const main = () => 3');
    const third = await latchkey(['deploy', path, '--yes'], env);
    expect(third).toMatchObject({ code: 0, stdout: expect.stringContaining('Removes the action') });
    const last = (await client.listGroups()).items.find((group) => group.groupId === groupId);
    expect(last?.cidHashes).toEqual([cidHash(await cidOf('const main = () => 3'))]);
  });

  test('deploys without the stored code when the quota is used up, and says so', async () => {
    const { apiKey } = await createClient({ url: stack.url }).newAccount({ name: 'full', description: '' });
    const client = createClient({ url: stack.url, apiKey });
    for (const letter of ['a', 'b']) {
      const code = letter.repeat(8 * 1024 * 1024);
      await client.storeActionCode({ cid: await cidOf(code), code });
    }
    const path = await file('full.js', 'const main = () => 1');
    const deployed = await latchkey(['deploy', path, '--yes'], { LATCHKEY_ACCOUNT_KEY: apiKey });
    expect(deployed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is deployed'),
      stderr: expect.stringContaining('the code was not stored: '),
    });
    expect((await client.listActions()).items).toMatchObject([{ name: 'full' }]);
  });

  test('with a wallet and no indexer, refuses to guess what it replaces', async () => {
    const run = inHome(await newHome());
    const login = ['login', '--private-key', '--rpc-url', stack.rpcUrl];
    expect((await run(login, { stdin: generatePrivateKey() })).code).toBe(0);
    expect((await run(['account', 'new', '--name', 'Mine'])).code).toBe(0);
    expect((await run(['groups', 'add', 'Deploys'])).stdout).toBe('group 1\n');
    const path = await file('named.js', 'const main = () => 1');
    const deploy = (...args: string[]) => run(['actions', 'deploy', path, '--yes', ...args]);
    expect(await deploy('--group', '1')).toMatchObject({ code: 0, stderr: '' });
    await file('named.js', 'const main = () => 2');
    expect(await deploy()).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'the names of actions are not known without an indexer\nLog in with --indexer-url, or give --replace.\n',
    });
    const replaced = await deploy('--replace', await cidOf('const main = () => 1'), '--json');
    expect(JSON.parse(replaced.stdout)).toMatchObject({ isSent: true, isStored: true });
    const listed = await run(['actions', 'list', '--group', '1', '--json']);
    expect(JSON.parse(listed.stdout).items).toEqual([
      { cidHash: String(cidHash(await cidOf('const main = () => 2'))) },
    ]);
  });

  test('refuses a group that does not exist, before it writes', async () => {
    const path = await file('alone.js', 'const main = () => 3');
    const env = { LATCHKEY_ACCOUNT_KEY: accountKey };
    const refused = await latchkey(['deploy', path, '--group', '99', '--yes'], env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no group 99') });
  });
});

describe('test', { timeout }, () => {
  test('runs each case, and ends with 1 when one fails', async () => {
    await file('twice.ts', 'export const main = ({ n }: { n: number }) => n * 2;');
    await file(
      'twice.test.js',
      `import assert from 'node:assert/strict';
export default [
  { name: 'doubles', params: { n: 2 }, check: ({ response }) => assert.equal(response, 4) },
  { name: 'is wrong', params: { n: 2 }, check: ({ response }) => assert.equal(response, 5) },
];`,
    );
    const { code, stdout, stderr } = await latchkey(['test', directory, '--json'], {});
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'doubles', passed: true },
      { name: 'is wrong', passed: false, error: expect.stringContaining('4 !== 5') },
    ]);
    expect(stderr).toMatch(/^ok .*doubles$/m);
    expect(stderr).toMatch(/^failed .*is wrong$/m);
  });

  test('says what to do without tests', async () => {
    const { code, stderr } = await latchkey(['test', sample('')], {});
    expect([code, stderr]).toEqual([2, expect.stringContaining('latchkey init')]);
  });
});

test('output of a run cannot act on the terminal', async () => {
  const path = await file(
    'hostile.js',
    'const main = () => { console.log("\\x1b[2Jgone\\u202e"); throw new Error("\\x1b]0;title\\x07"); }',
  );
  const { stdout, stderr } = await latchkey(['run', path]);
  expect(stderr).toContain('\\u{1b}[2Jgone\\u{202e}');
  expect(isSafe(stdout + stderr)).toBe(true);
});

test('misuse says what is missing and ends with 2; --help ends with 0 and has examples', {
  timeout,
}, async () => {
  for (const args of [[], ['fly', 'x'], ['run'], ['run', 'a', 'b'], ['run', 'a', '--parm', 'b']])
    expect((await latchkey(args)).code).toBe(2);
  expect((await latchkey(['run'])).stderr).toMatch(/missing required argument 'action'/);
  expect((await latchkey(['run', join(directory, 'missing.ts')])).stderr).toMatch(
    /missing\.ts: no such file/,
  );
  const help = await latchkey(['run', '--help']);
  expect(help).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('latchkey actions run sign.ts --local'),
  });
});
