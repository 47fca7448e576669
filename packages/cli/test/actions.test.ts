/** The command, on the shared stack. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cidOf } from '@latchkey/protocol';
import { addUsageKey, get, newAccount, stack } from '@latchkey/testing/stack';
import { verifyMessage } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const bin = join(import.meta.dirname, '../bin/latchkey.js');
const sample = (file: string) => join(import.meta.dirname, 'sample', file);

let usageKey: string;
let directory: string;
beforeAll(async () => {
  const { key } = await newAccount();
  usageKey = await addUsageKey(key, { execute_in_groups: [0] });
  directory = await mkdtemp(join(tmpdir(), 'latchkey-action-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

type Ended = { code: number | null; stdout: string; stderr: string };

/** Runs `latchkey action …`. Calls `onStderr` with all of its stderr until now. */
function latchkey(
  args: string[],
  env: Record<string, string> = { LATCHKEY_USAGE_KEY: usageKey },
  onStderr: (text: string, interrupt: () => void) => void = () => {},
): Promise<Ended> {
  const child = spawn(bin, ['action', ...args], {
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LATCHKEY_URL: stack.url,
      ...env,
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    onStderr(stderr, () => child.kill('SIGINT'));
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}
async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

describe('run', () => {
  test('bundles a TypeScript module, and prints its output and its response', async () => {
    const ended = await latchkey(['run', sample('sign.ts'), '--new-account', '--param', 'name=you'], {});
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^signing for you\n/m) });
    expect(ended.stderr).toMatch(/^run [0-9a-f-]{36}: success, \d+ cents?\n$/m);
    const { address, signature } = JSON.parse(ended.stdout);
    expect(await verifyMessage({ address, message: 'hello you', signature })).toBe(true);
    const [, key] = /^LATCHKEY_USAGE_KEY=(.+)$/m.exec(ended.stderr) ?? [];
    const pkpId = /^PKP_ID=(.+)$/m.exec(ended.stderr)?.[1];
    expect(address).toBe(pkpId);
    const again = await latchkey([
      ...['run', sample('sign.ts'), '--param', 'name=you', '--param', `pkpId=${pkpId}`],
      ...['--key', key ?? ''],
    ]);
    expect(JSON.parse(again.stdout).address).toBe(address);
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
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--new-account') });
    const { key } = await newAccount();
    const refused = await latchkey(['run', sample('script.ts')], {
      LATCHKEY_USAGE_KEY: await addUsageKey(key),
    });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Add the action to a group in execute_in_groups of the key.');
  });
});

test('says which service does not answer', async () => {
  const { code, stderr } = await latchkey(['run', sample('script.ts'), '--url', 'http://127.0.0.1:9']);
  expect([code, stderr]).toEqual([1, 'http://127.0.0.1:9 does not respond\n']);
});

describe('cid and build', () => {
  test('JavaScript stays as it is, byte by byte', async () => {
    const text = '﻿// A comment\r\nconst main = () => "é" ;';
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

test('misuse prints the help and ends with 2; --help ends with 0', async () => {
  for (const args of [[], ['fly', 'x'], ['run'], ['run', 'a', 'b'], ['run', 'a', '--parm', 'b']]) {
    const { code, stderr } = await latchkey(args);
    expect([code, stderr.includes('latchkey action run <file>')]).toEqual([2, true]);
  }
  expect((await latchkey(['run'])).stderr).toMatch(/^Name the file: latchkey action run <file>\n/);
  expect(await latchkey(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--param') });
});
