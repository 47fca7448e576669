/** The packed SDK in an empty folder: its README on each Node version, and bundles of it in a browser. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pairAgent } from '@latchkey/testing/browser';
import { hasChromium, launchChromium } from '@latchkey/testing/chromium';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import {
  documentedOutput,
  findNode,
  installPacked,
  printedLines,
  readProgram,
} from '@latchkey/testing/installed';
import { build as esbuild } from 'esbuild';
import type { Browser } from 'playwright-core';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { type Rolldown, build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../src/index.ts';
import { stack, testClient } from './clients.ts';

/** CI takes the first of a list, `.ci/nightly` all of it. */
const all = <T>(list: T[]): T[] => (process.env.PACKAGE_MATRIX === 'full' ? list : list.slice(0, 1));

const installed = disposeAfterAll(await installPacked(['sdk']));

/** Returns the examples of the README as one program. */
async function readmeProgram(): Promise<string> {
  const page = await readFile(join(installed.directory, 'node_modules/@latchkey/sdk/README.md'), 'utf8');
  expect(page.split('\n```ts\n').length).toBeGreaterThan(9);
  return readProgram(page, {
    'http://127.0.0.1:8000': stack.url,
    'http://127.0.0.1:8545': stack.rpcUrl,
    'http://127.0.0.1:8546': stack.stripeUrl,
    'http://127.0.0.1:42069': stack.indexerUrl,
    'http://127.0.0.1:8100': stack.triggersUrl,
  });
}

describe('the README', () => {
  let program: string;
  beforeAll(async () => {
    program = await readmeProgram();
    expect(await installed.build('readme', program)).toEqual([]);
  }, 600_000);

  test.each(all([20, 22, 24]))(
    'prints its documented output on Node %i',
    async (major) => {
      const privateKey = generatePrivateKey();
      await testClient.setBalance({ address: privateKeyToAddress(privateKey), value: parseEther('1') });
      const node = await findNode(major);
      const { apiKey } = await createClient({ url: stack.url }).newAccount({
        name: 'readme',
        description: '',
      });
      const account = createClient({ url: stack.url, apiKey });
      const { usageKey } = await account.addUsageApiKey({ executeInGroups: [0n] });
      const agentToken = await pairAgent(stack.triggersUrl, apiKey);
      const { stdout } = await promisify(execFile)(node, ['readme.js'], {
        cwd: installed.directory,
        env: { PRIVATE_KEY: privateKey, USAGE_API_KEY: usageKey, AGENT_TOKEN: agentToken },
        timeout: 600_000,
      });
      const expected = documentedOutput(program);
      expect(expected.length).toBeGreaterThan(15);
      // The README prints random values as 0x….
      expect(printedLines(stdout)).toEqual(expected);
    },
    240_000,
  );
});

test('a bundle of one function contains no other function', async () => {
  const { outputFiles } = await esbuild({
    stdin: {
      contents:
        "import { addGroup, createBareClient } from '@latchkey/sdk'; console.log(addGroup, createBareClient);",
      resolveDir: installed.directory,
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const text = outputFiles[0]?.text ?? '';
  expect(text).toContain('/core/v1/add_group"');
  for (const other of ['update_group', 'list_groups', 'create_wallet_with_signature', 'svc_action'])
    expect(text).not.toContain(`/core/v1/${other}"`);
});

describe.runIf(hasChromium)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
    await writeFile(
      join(installed.directory, 'page.ts'),
      `import { createClient } from '@latchkey/sdk';
const url = ${JSON.stringify(stack.url)};
const { apiKey } = await createClient({ url }).newAccount({ name: 'page', description: '' });
const client = createClient({ url, apiKey });
const { groupId } = await client.addGroup({ name: 'of a page', description: '' });
const { items } = await client.listGroups();
document.body.textContent = \`\${groupId} \${items[0]?.name}\`;
`,
    );
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
  });

  /** Bundlers: each returns the files of the bundle, the entry first. */
  const bundlers: [string, (entry: string) => Promise<{ path: string; text: string }[]>][] = [
    [
      'esbuild',
      async (entry) => {
        const { outputFiles } = await esbuild({
          entryPoints: [entry],
          outdir: '/',
          bundle: true,
          splitting: true,
          format: 'esm',
          minify: true,
          write: false,
          target: 'es2022',
        });
        return outputFiles.map(({ path, text }) => ({ path, text }));
      },
    ],
    [
      'Vite',
      async (entry) => {
        const built = await vite({
          root: installed.directory,
          configFile: false,
          logLevel: 'silent',
          build: { write: false, target: 'es2022', rolldownOptions: { input: entry } },
        });
        const { output } = built as Rolldown.RolldownOutput;
        return output.flatMap((file) =>
          file.type === 'chunk' ? [{ path: `/${file.fileName}`, text: file.code }] : [],
        );
      },
    ],
  ];

  test.for(bundlers)('a bundle by %s works with an account', { timeout: 600_000 }, async ([, bundle]) => {
    const files = await bundle(join(installed.directory, 'page.ts'));
    const server = createServer(({ url }, response) => {
      const file = files.find(({ path }) => path === url);
      response.setHeader('Content-Type', file ? 'text/javascript' : 'text/html');
      response.end(file?.text ?? `<body><script type="module" src="${files[0]?.path}"></script></body>`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const page = await browser.newPage();
    const thrown: string[] = [];
    page.on('pageerror', (error) => thrown.push(error.message));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await expect
      .poll(async () => [await page.textContent('body'), ...thrown].join(' '), { timeout: 300_000 })
      .not.toBe('');
    expect([await page.textContent('body'), thrown]).toEqual(['1 of a page', []]);
    await page.close();
  });
});
