import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { expect, test } from 'vitest';
import { migrateCode } from './code-files.ts';

const OLD = 'export const main = () => Lit.Actions.getPrivateKey({ pkpId: "0x" });\n';

test('a file that fails stays as it is, and the files after it are rewritten', async () => {
  using folder = temporaryDirectory();
  const files = {
    'a.ts': OLD,
    // oxc parses it, esbuild does not.
    'b.ts': `${OLD}let name = 1;\ndelete name;\n`,
    'c.ts': `${OLD}const sum = ${'1+'.repeat(30_000)}1;\n`,
    'd.ts': 'const = 1;',
    'e.ts': OLD,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  const reports = await migrateCode([folder.path], false);
  const errors = Object.fromEntries(reports.map(({ file, error }) => [file.slice(-4), error]));
  expect(Object.keys(errors)).toEqual(Object.keys(files));
  expect(errors['b.ts']).toMatch(/[dD]elete of a bare identifier/);
  expect(errors['d.ts']).toMatch(/^1:7: /);
  for (const name of ['b.ts', 'd.ts'] as const)
    expect(readFileSync(join(folder.path, name), 'utf8')).toBe(files[name]);
  for (const name of ['a.ts', 'e.ts']) {
    expect(errors[name]).toBeUndefined();
    expect(readFileSync(join(folder.path, name), 'utf8')).toContain('Svc.Actions.getPrivateKey');
  }
});
