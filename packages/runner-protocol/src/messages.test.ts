import { expect, test } from 'vitest';
import { fromRunner, toRunner } from './messages.ts';

test('fields that the next version adds are ignored', () => {
  const run = {
    ...({ type: 'run', id: 1, cid: 'Qm', params: '{}', timeoutMs: 1, usageKeyHash: '0x1f' } as const),
    streamsLogs: false,
  };
  const stop = { type: 'stop', id: 1, error: { name: 'a', message: 'b' } } as const;
  expect(toRunner.parse({ ...run, next: 1 })).toEqual(run);
  expect(toRunner.parse({ ...stop, error: { ...stop.error, next: 1 } })).toEqual(stop);
  const hello = { type: 'hello', memoryLimitMb: 64, walls: [] } as const;
  expect(fromRunner.parse({ ...hello, next: 1 })).toEqual(hello);
});

test('a signed statement has no other fields', () => {
  const signed = { statement: { version: 1, next: 1 }, runner: '', runnerSignature: '' };
  const { error } = fromRunner.safeParse({ type: 'key request', call: 1, run: 1, signed });
  expect(error?.issues).toContainEqual(
    expect.objectContaining({ code: 'unrecognized_keys', keys: ['next'] }),
  );
});
