/** The standard actions: the committed template and CIDs are those of the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCode, explainPolicy, parsePolicy, readCode } from '@latchkey/policy';
import { cidOf } from '@latchkey/protocol';
import { describe, expect, test } from 'vitest';
import { compileTemplate } from './template.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const cids = JSON.parse(read('actions/policy-cids.json')) as Record<string, string>;

test('the template is what esbuild makes of the sources: run `npm run policy:template` after a change', async () => {
  expect(await compileTemplate()).toBe(read('packages/policy/src/generated/template.ts'));
});

test('every policy in actions/policies has a committed CID', () => {
  const files = readdirSync(join(root, 'actions/policies')).map((file) => file.replace('.json', ''));
  expect(Object.keys(cids).sort()).toEqual(files.sort());
});

describe.each(Object.entries(cids))('%s', (name, cid) => {
  const policy = parsePolicy(JSON.parse(read(`actions/policies/${name}.json`)));

  test('has its committed CID', async () => {
    expect(await cidOf(buildCode(policy))).toBe(cid);
  });

  test('is small, and is decoded again', () => {
    const code = buildCode(policy);
    expect(Buffer.byteLength(code)).toBeLessThan(64 * 1024);
    expect(readCode(code)).toEqual(policy);
    expect(explainPolicy(readCode(code))).toContain('"');
  });
});
