import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deleteRecords } from './forge.ts';

test('deletes the records of a node, and not those of other nodes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-records-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const url = 'https://node.example/v2/a-key';
  const record = (rpc: string) => JSON.stringify({ transactions: [{ rpc }] });
  mkdirSync(join(directory, '8453/dry-run'), { recursive: true });
  writeFileSync(join(directory, '8453/run-1.json'), record(url));
  writeFileSync(join(directory, '8453/dry-run/run-latest.json'), record(url));
  writeFileSync(join(directory, '8453/run-2.json'), record(`${url}2`));
  deleteRecords(directory, url);
  expect(readdirSync(directory, { recursive: true }).sort()).toEqual([
    '8453',
    '8453/dry-run',
    '8453/run-2.json',
  ]);
});
