import { tmpdir } from 'node:os';
import { createRecipient, hashOfEntry, type KeyPurpose, NO_ENTRY } from '@latchkey/key-protocol';
import { temporaryDirectory } from '@latchkey/testing/processes';
import type { KeyRequest as Evaluation } from '@latchkey/threshold';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openReleaseLog, type ReleaseLog } from './release-log.ts';
import { relayer, requestFor, runner } from './testing.ts';

const { publicKey: recipient } = await createRecipient();
const wallet: KeyPurpose = {
  kind: 'wallet',
  usageKeyHash: '0x1f',
  cid: 'QmCid',
  wallet: `0x${'12'.repeat(20)}`,
  use: 'inside',
};
let directory: ReturnType<typeof temporaryDirectory>;
let log: ReleaseLog;
beforeEach(() => {
  directory = temporaryDirectory(tmpdir());
  log = openReleaseLog(directory.path);
});
afterEach(() => {
  vi.useRealTimers();
  log.close();
  directory[Symbol.dispose]();
});

function append(path: bigint, purpose = wallet): string {
  const request = requestFor(purpose, { group: 'ab'.repeat(32), recipient });
  const evaluation: Evaluation =
    purpose.kind === 'action' ? { kind: 'action', cid: purpose.cid } : { kind: 'wallet', path };
  log.append(request, { evaluation, block: 10n });
  return request.statement.id;
}
const read = (path: bigint, before: number | null = null, limit = 100) => log.read(path, { before, limit });

test('numbers and links the entries of each path, newest first', () => {
  const ids = [append(1n), append(2n), append(1n), append(1n)];
  append(1n, { kind: 'action', usageKeyHash: '0x1f', cid: 'QmCid' });
  const { sequence, hash, first, entries } = read(1n);
  expect([sequence, first, entries.length]).toEqual([3, 1, 3]);
  expect(hash).toBe(hashOfEntry(entries[0] ?? ''));
  const parsed = entries.map((text) => JSON.parse(text));
  expect(parsed.map((entry) => entry.statement)).toEqual([ids[3], ids[2], ids[0]]);
  expect(parsed.map((entry) => entry.previous)).toEqual([
    ...entries.slice(1).map((text) => hashOfEntry(text)),
    NO_ENTRY,
  ]);
  expect(parsed[0]).toEqual({
    version: 1,
    sequence: 3,
    previous: expect.any(String),
    time: expect.any(Number),
    block: 10,
    kind: 'wallet',
    usageKeyHash: '0x1f',
    cid: 'QmCid',
    wallet: `0x${'12'.repeat(20)}`,
    run: null,
    statement: ids[3],
    runner: runner.publicKey,
    relayer: relayer.publicKey,
  });
  expect(read(3n)).toEqual({ sequence: 0, hash: NO_ENTRY, first: 1, entries: [] });
});

test('pages by sequence, and continues after a restart', () => {
  for (let i = 0; i < 5; i++) append(1n);
  const sequences = (page: { entries: string[] }) => page.entries.map((text) => JSON.parse(text).sequence);
  expect(sequences(read(1n, null, 2))).toEqual([5, 4]);
  expect(sequences(read(1n, 4, 2))).toEqual([3, 2]);
  log.close();
  log = openReleaseLog(directory.path);
  append(1n);
  const { entries } = read(1n, null, 2);
  expect(sequences({ entries })).toEqual([6, 5]);
  expect(JSON.parse(entries[0] ?? '').previous).toBe(hashOfEntry(entries[1] ?? ''));
});

test('a pruned log keeps the numbers and links of the entries that it has, and the head without any', () => {
  vi.useFakeTimers({ now: 1_000 });
  append(1n);
  append(1n);
  vi.setSystemTime(2_000);
  append(1n);
  log.prune(2_000);
  expect(read(1n)).toMatchObject({ sequence: 3, first: 3, entries: { length: 1 } });
  log.prune(3_000);
  const { hash } = read(1n);
  expect(read(1n)).toMatchObject({ sequence: 3, first: 4, entries: [] });
  append(1n);
  expect(JSON.parse(read(1n).entries[0] ?? '')).toMatchObject({ sequence: 4, previous: hash });
});
