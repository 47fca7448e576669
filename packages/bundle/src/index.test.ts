import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
let directory: string;
let entry: string;

const put = (file: string, text: string) => writeFileSync(join(root, directory, file), text);

beforeEach(() => {
  directory = `.data/${randomUUID()}`;
  entry = `${directory}/src/main.ts`;
  mkdirSync(join(root, directory, 'src'), { recursive: true });
  put('package.json', '{"type": "module"}');
});
afterEach(() => rm(join(root, directory), { recursive: true }));

const execute = (...args: string[]): string =>
  execFileSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
const evaluate = (script: string): string => execute('--input-type=module', '--eval', script);

/** Bundles in a process of its own, as a process that starts services does, and runs what it made. */
function run(): { path: string; output: string } {
  const path = evaluate(`import { bundle } from '@latchkey/bundle'; console.log(await bundle('${entry}'))`);
  return { path, output: execute('--enable-source-maps', path) };
}

test('a bundle has its modules, and finds the files beside its sources', () => {
  put('src/text.txt', 'a text');
  put('src/part.ts', "export const part: string = 'a part';");
  put(
    'src/main.ts',
    `import { readFileSync } from 'node:fs';
     import { join } from 'node:path';
     import { part } from './part.ts';
     import pg from 'pg';
     const text = readFileSync(join(import.meta.dirname, 'text.txt'), 'utf8');
     const same = readFileSync(new URL('./text.txt', import.meta.url), 'utf8');
     console.log(part, text, text === same, typeof pg.Pool);`,
  );
  expect(run().output).toBe('a part a text true function');
});

test('a final one is not made again', () => {
  put('src/main.ts', "console.log('first');");
  evaluate(`import { bundle } from '@latchkey/bundle'; await bundle('${entry}', { isFinal: true })`);
  put('src/main.ts', "console.log('second');");
  expect(run().output).toBe('first');
});

test('it is made again when a source has changed, and only then', async () => {
  put('src/part.ts', "export const part = 'first';");
  put('src/main.ts', "import { part } from './part.ts'; console.log(part);");
  const { path, output } = run();
  expect(output).toBe('first');

  await readFile(path).then((code) => writeFileSync(path, `console.log('kept');${code}`));
  expect(run().output).toBe('kept\nfirst');

  put('src/part.ts', "export const part = 'second';");
  expect(run().output).toBe('second');
});

test('a mistake in a source is named with its place', () => {
  put('src/main.ts', 'const = 1;');
  expect(run).toThrow(/src\/main\.ts:1:6/);
});

test('an error names its line in the source', () => {
  put('src/main.ts', "type Unused = string;\n\nthrow new Error('no');");
  expect(run).toThrow(/src\/main\.ts:3:7/);
});

test.runIf(process.platform === 'linux').each([
  ['a build', 'export {};'],
  ['a failed build', 'const = 1;'],
])('no process of esbuild remains after %s', (_name, source) => {
  put('src/main.ts', source);
  const printed = evaluate(`
    import { readFileSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    import { bundle } from '@latchkey/bundle';
    const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim();
    await bundle('${entry}').catch(() => {});
    for (let tries = 0; children() !== '' && tries < 100; tries++) await setTimeout(20);
    console.log('left: ' + children());`);
  expect(printed).toBe('left:');
});
