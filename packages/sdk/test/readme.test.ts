/** The examples of the README, as the one program that they are. */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import { stack, testClient } from './clients.ts';

const directory = join(import.meta.dirname, '..');

/** Of an application that is strict, and does not ask for each index whether it is there. */
const compilerOptions =
  '--ignoreConfig --noEmit --strict --target ES2024 --module NodeNext --skipLibCheck --types node --allowImportingTsExtensions'.split(
    ' ',
  );

test('the examples compile, run, and print what stands behind their lines', async () => {
  const page = await readFile(join(directory, 'README.md'), 'utf8');
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text);
  expect(blocks.length).toBeGreaterThan(8);
  const program = blocks
    .join('\n')
    .replaceAll('http://127.0.0.1:8000', stack.url)
    .replaceAll('http://127.0.0.1:8545', stack.rpcUrl)
    .replaceAll('http://127.0.0.1:8546', stack.stripeUrl)
    .replaceAll('http://127.0.0.1:42069', stack.indexerUrl);
  const privateKey = generatePrivateKey();
  await testClient.setBalance({ address: privateKeyToAddress(privateKey), value: parseEther('1') });
  // Where it finds the package, under a name that no other run has.
  const file = join(directory, `.example-${process.pid}.ts`);
  await writeFile(file, program);
  onTestFinished(() => rm(file));
  await promisify(execFile)(join(directory, '../../node_modules/.bin/tsc'), [...compilerOptions, file]);
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    env: { PRIVATE_KEY: privateKey },
    timeout: 60_000,
  });
  const expected = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = '']) => text);
  expect(expected.length).toBeGreaterThan(15);
  const printed = stdout.trim().split('\n');
  // What is random is printed as 0x… in the README.
  expect(printed.map((line) => line.replace(/\b0x[0-9a-fA-F]{8,}/g, '0x…'))).toEqual(expected);
}, 90_000);
