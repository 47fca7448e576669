/** Runs the examples of the pages against the real stack. Tests of their links are in tools/pages/. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '@latchkey/bundle';
import { isApiKey } from '@latchkey/protocol';
import { isAddress } from 'viem';
import { expect, inject, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** Returns the fenced blocks of a page in one language, without the indentation of a surrounding list. */
function blocks(page: string, language: string): string[] {
  const fence = new RegExp(`^( *)\`\`\`${language}\n(.*?)^ *\`\`\`$`, 'gms');
  return [...page.matchAll(fence)].map(([, indent = '', text = '']) =>
    text.replaceAll(`\n${indent}`, '\n').trim(),
  );
}

test('the first curl of the README opens an account', async () => {
  const curl = blocks(readme, 'sh').find((block) => block.startsWith('curl')) as string;
  expect(curl).toContain('http://127.0.0.1:8000/core/v1/new_account');
  const command = curl.replace('http://127.0.0.1:8000', inject('stack').url);
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  const reply = JSON.parse(stdout) as { api_key: string; wallet_address: string };
  expect(isApiKey(reply.api_key)).toBe(true);
  expect(isAddress(reply.wallet_address)).toBe(true);
  const shown = JSON.parse(blocks(readme, 'json')[0] as string) as object;
  expect(Object.keys(reply)).toEqual(Object.keys(shown));
});

test('the action at the top of the README is the first example of the page on actions', () => {
  const [code = ''] = blocks(readme, 'js');
  const examples = readFileSync(join(root, 'docs/actions.md'), 'utf8').split('\n## Ten examples')[1] ?? '';
  expect(blocks(examples, 'js')[0]).toBe(code);
});

test('the steps of the first page lead from an account to a verified signature', async () => {
  const [install = '', ...steps] = blocks(readFileSync(join(root, 'docs/start.md'), 'utf8'), 'sh');
  expect(install).toBe('npm ci && npm run up');
  const script = steps.join('\n').replaceAll('http://127.0.0.1:8000', inject('stack').url);
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script], { cwd: root });
  expect(stdout.trim()).toMatch(/true$/);
});

/** Runs the longest script of a page against the shared stack; returns its output and the documented output. */
async function runScript(
  page: string,
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ printed: string[]; shown: string[] }> {
  const text = readFileSync(join(root, page), 'utf8');
  const [script = ''] = blocks(text, 'sh').sort((a, b) => b.length - a.length);
  const { url, triggersUrl, stripeUrl } = inject('stack');
  const command = script
    .replaceAll('http://127.0.0.1:8000', url)
    .replaceAll('http://127.0.0.1:8100', triggersUrl)
    .replaceAll('http://127.0.0.1:8546', stripeUrl);
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', command], { timeout: 300_000, ...options });
  const [, shown = ''] = /It prints\n\n```\n(.*?)\n```/s.exec(text) ?? [];
  return { printed: stdout.trim().split('\n'), shown: shown.split('\n') };
}

test('the script of the page on credit pays, and the balance shows the payment', async () => {
  const { printed, shown } = await runScript('docs/billing.md');
  // The tests have another starter credit.
  const plain = (lines: string[]) => lines.filter((line) => !line.endsWith(' credit'));
  expect(plain(printed)).toEqual(plain(shown));
  const paid = (lines: string[]) => {
    const [before = 0, after = 0] = lines
      .flatMap((line) => /^\$([\d,.]+) credit$/.exec(line)?.[1]?.replace(/,/g, '') ?? [])
      .map(Number);
    return after - before;
  };
  expect(paid(printed)).toBe(5);
  expect(paid(shown)).toBe(5);
});

test('the script of the page on managed accounts replaces and removes a usage key', async () => {
  const { printed, shown } = await runScript('docs/managed.md');
  expect(printed).toEqual(shown);
});

test('the script of the page on triggers creates an account and gets the response of a run', async () => {
  const { printed, shown } = await runScript('docs/triggers.md');
  expect(printed).toEqual(shown);
});

test('the script of the page on runs streams a run, stops it and reads its record', async () => {
  const { printed, shown } = await runScript('docs/runs.md');
  expect(printed).toEqual(shown);
});

/** Returns a folder with a command, and an environment that finds it. */
async function installCommand(name: string, entry: string) {
  const directory = await mkdtemp(join(tmpdir(), `${name}-docs-`));
  onTestFinished(() => rm(directory, { recursive: true }));
  const program = await bundle(entry);
  await writeFile(join(directory, name), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });
  return { directory, env: { PATH: `${directory}:${process.env.PATH}`, HOME: directory } };
}

test('the script of the page on the MCP server makes a usage key and calls a tool with it', async () => {
  const { env } = await installCommand('latchkey-mcp', 'packages/mcp/src/main.ts');
  const { printed, shown } = await runScript('docs/mcp.md', { env });
  expect(printed).toEqual(shown);
});

test('the script of the page on the command line goes from an account to a run', async () => {
  const { directory, env } = await installCommand('latchkey', 'packages/cli/src/main.ts');
  const { printed, shown } = await runScript('docs/cli.md', { cwd: directory, env });
  expect(printed).toEqual(shown);
  const signature = JSON.parse(readFileSync(join(directory, 'signature.json'), 'utf8'));
  expect(signature).toMatch(/^0x[0-9a-f]{130}$/);
}, 600_000);
