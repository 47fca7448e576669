/** Each recipe of docs/recipes.md is a program that prints what the page shows. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stack } from '@latchkey/testing/stack';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const [introduction = '', ...sections] = readFileSync(join(root, 'docs/recipes.md'), 'utf8').split(/^## /m);

function block(text: string, kind: string): string {
  const [, found = ''] = text.split(`\`\`\`${kind}\n`);
  return found.split('\n```')[0] ?? '';
}

/** Runs a program as a module that resolves packages from the repository. */
async function run(program: string): Promise<string> {
  const source = program
    .replaceAll('http://127.0.0.1:8000', stack.url)
    .replaceAll('http://127.0.0.1:8100', stack.triggersUrl)
    .replaceAll('http://127.0.0.1:8545', stack.rpcUrl);
  const args = ['--input-type=module', '--eval', source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, timeout: 60_000 });
  return stdout.trim();
}

describe.concurrent('the recipe', () => {
  test.each(sections.map((section) => [section.slice(0, section.indexOf('\n')), section] as const))(
    '%s prints what the page shows',
    async (_title, section) => {
      expect(await run(`${block(introduction, 'js')}\n${block(section, 'js')}`)).toBe(
        block(section, 'text output'),
      );
    },
  );
});
