import { describe, expect, test, vi } from 'vitest';
import { driverError, isDatabaseUnavailable, onceAvailable, onceUnlocked } from './database-errors.ts';

const fromDriver = (code: string, message = 'm') => Object.assign(new Error(message), { code });

test('driverError returns the cause that the driver threw', () => {
  const error = fromDriver('23505');
  expect(driverError(new Error('query', { cause: new Error('pool', { cause: error }) }))).toBe(error);
  expect(driverError('text')).toBeUndefined();
});

test.each([
  ['a lost connection', fromDriver('08006')],
  ['too many connections', fromDriver('53300')],
  ['a server that is stopping', fromDriver('57P01')],
  ['a statement timeout', fromDriver('57014')],
  ['a refused connection', fromDriver('ECONNREFUSED')],
  ['a standby', fromDriver('25006')],
  ['a full disk', fromDriver('53100')],
  ['a disk that fails', fromDriver('58030')],
  ['a server that is silent', new Error('Query read timeout')],
  ['no free connection in the pool', new Error('timeout exceeded when trying to connect')],
])('isDatabaseUnavailable is true for %s', (_name, error) => {
  expect(isDatabaseUnavailable(new Error('query', { cause: error }))).toBe(true);
});

test.each([
  ['a broken constraint', fromDriver('23505')],
  ['a syntax error', fromDriver('42601')],
  ['an error of another kind', new Error('m')],
])('isDatabaseUnavailable is false for %s', (_name, error) => {
  expect(isDatabaseUnavailable(error)).toBe(false);
});

test('onceUnlocked repeats work that waited for a lock for too long, or was the victim of a deadlock, and nothing else', async () => {
  vi.useFakeTimers();
  try {
    const work = vi
      .fn(async (_attempt: number) => {})
      .mockRejectedValueOnce(fromDriver('55P03'))
      .mockRejectedValueOnce(fromDriver('40P01'));
    const done = onceUnlocked(work);
    await vi.runAllTimersAsync();
    await done;
    expect(work.mock.calls).toEqual([[0], [1], [2]]);
  } finally {
    vi.useRealTimers();
  }
  const broken = fromDriver('23505');
  await expect(onceUnlocked(() => Promise.reject(broken))).rejects.toBe(broken);
});

describe('onceAvailable', () => {
  const standby = fromDriver('25006');

  test('repeats the work until the database is available', async () => {
    const work = vi
      .fn(async () => 'done')
      .mockRejectedValueOnce(standby)
      .mockRejectedValueOnce(standby);
    expect(await onceAvailable(work, 60_000)).toBe('done');
    expect(work).toHaveBeenCalledTimes(3);
  });

  test.each([
    ['an error of another kind', fromDriver('23505'), 60_000, undefined],
    ['the end of the time', standby, 0, undefined],
    ['an abort', standby, 60_000, AbortSignal.abort()],
  ])('rejects with the error of the work at %s', async (_name, error, maxMs, signal) => {
    const work = vi.fn(() => Promise.reject(error));
    await expect(onceAvailable(work, maxMs, signal)).rejects.toBe(error);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
