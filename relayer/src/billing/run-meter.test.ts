import { ActionError } from '@latchkey/runner-protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InsufficientCreditError } from './ledger.ts';
import { createRunMeter, RunUnpaidError } from './run-meter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A meter whose reserves end as `reserveSecond` does. */
function meterWith(reserveSecond: () => Promise<void> = async () => {}) {
  const reserve = vi.fn(reserveSecond);
  const onReserveError = vi.fn();
  return { ...createRunMeter({ reserveSecond: reserve, onReserveError }), reserve, onReserveError };
}

describe('the next second', () => {
  test('is reserved 750 ms before it begins, one after the other', async () => {
    const meter = meterWith();
    meter.start();
    await passes(249);
    expect(meter.reserve).toHaveBeenCalledTimes(0);
    await passes(1);
    expect(meter.reserve).toHaveBeenCalledTimes(1);
    await passes(999);
    expect(meter.reserve).toHaveBeenCalledTimes(1);
    await passes(1);
    expect(meter.reserve).toHaveBeenCalledTimes(2);
    expect(meter.signal.aborted).toBe(false);
    await meter.stop();
  });

  test('is not reserved before the run has started', async () => {
    const meter = meterWith();
    await passes(10_000);
    expect(meter.reserve).toHaveBeenCalledTimes(0);
  });

  test('is not reserved while the clock is paused, and 250 ms after the next start', async () => {
    const meter = meterWith();
    meter.start();
    await passes(249);
    meter.pause();
    await passes(10_000);
    expect(meter.reserve).toHaveBeenCalledTimes(0);
    meter.start();
    await passes(249);
    expect(meter.reserve).toHaveBeenCalledTimes(0);
    await passes(1);
    expect(meter.reserve).toHaveBeenCalledTimes(1);
    await meter.stop();
  });

  test('does not start the clock again when its reserve ends in a pause', async () => {
    const reserving = Promise.withResolvers<void>();
    const meter = meterWith(() => reserving.promise);
    meter.start();
    await passes(250);
    meter.pause();
    reserving.resolve();
    await passes(10_000);
    expect(meter.reserve).toHaveBeenCalledTimes(1);
    expect(meter.signal.aborted).toBe(false);
  });

  test('that is not reserved in time stops the run only after two minutes, and the next ones are caught up', async () => {
    const late = Promise.withResolvers<void>();
    const meter = meterWith(() => late.promise);
    meter.start();
    await passes(60_000);
    expect(meter.signal.aborted).toBe(false);
    late.resolve();
    await passes(100);
    expect(meter.reserve).toHaveBeenCalledTimes(60);
    await meter.stop();

    const silent = meterWith(() => new Promise(() => {}));
    silent.start();
    await passes(1_000 + 119_999);
    expect(silent.signal.aborted).toBe(false);
    await passes(1);
    expect(silent.signal.reason).toBeInstanceOf(RunUnpaidError);
    expect(silent.onReserveError).not.toHaveBeenCalled();
  });

  test('stops the run with a CreditError at the end of the paid seconds when the account cannot pay', async () => {
    const meter = meterWith(() => Promise.reject(new InsufficientCreditError('no credit')));
    meter.start();
    await passes(999);
    expect(meter.signal.aborted).toBe(false);
    await passes(1);
    expect(meter.signal.reason).toBeInstanceOf(ActionError);
    expect(meter.signal.reason).toMatchObject({ name: 'CreditError' });
    expect(meter.onReserveError).not.toHaveBeenCalled();
  });

  test('that is refused only after it has begun stops the run immediately', async () => {
    const timesMs: number[] = [];
    const fake = globalThis.setTimeout;
    // Not a spy of vitest: one on a fake timer can leave it in place for the files that follow.
    globalThis.setTimeout = ((task: () => void, ms = 0) => {
      timesMs.push(ms);
      return fake(task, ms);
    }) as typeof setTimeout;
    const late = Promise.withResolvers<void>();
    const meter = meterWith(() => late.promise);
    meter.start();
    await passes(5_000);
    late.reject(new InsufficientCreditError('no credit'));
    await passes(0);
    expect(meter.signal.reason).toMatchObject({ name: 'CreditError' });
    // Node warns of a negative time.
    globalThis.setTimeout = fake;
    expect(timesMs).not.toEqual([]);
    for (const ms of timesMs) expect(ms).toBeGreaterThanOrEqual(0);
  });

  test('stops the run without an outcome, and reports the error, when the reserve fails for another reason', async () => {
    const failure = new Error('connection lost');
    const meter = meterWith(() => Promise.reject(failure));
    meter.start();
    await passes(1_000);
    expect(meter.signal.reason).toBeInstanceOf(RunUnpaidError);
    expect(meter.signal.reason).toMatchObject({ cause: failure });
    expect(meter.onReserveError.mock.calls).toEqual([[failure]]);
  });
});

describe('stop', () => {
  test('resolves after the in-flight reserve and starts no other', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const meter = meterWith(() => promise);
    meter.start();
    await passes(500);
    const stopped = vi.fn();
    const stopping = meter.stop().then(stopped);
    await passes(0);
    expect(stopped).not.toHaveBeenCalled();
    resolve();
    await stopping;
    await passes(5_000);
    expect(meter.reserve).toHaveBeenCalledTimes(1);
  });

  test('keeps the reason of an earlier abort', async () => {
    const meter = meterWith();
    const reason = new RunUnpaidError('the run was released');
    meter.abort(reason);
    await meter.stop();
    expect(meter.signal.reason).toBe(reason);
  });
});

describe('collect', () => {
  test('reserves the started seconds that are not reserved', async () => {
    const meter = meterWith();
    meter.start();
    await passes(1_250);
    await meter.stop();
    expect(meter.reserve).toHaveBeenCalledTimes(2);
    await meter.collect(3);
    expect(meter.reserve).toHaveBeenCalledTimes(2);
    await meter.collect(5);
    expect(meter.reserve).toHaveBeenCalledTimes(4);
  });

  test('ends without an error when credit runs out or the run was released', async () => {
    for (const thrown of [new InsufficientCreditError('no credit'), new RunUnpaidError('released')]) {
      const meter = meterWith(() => Promise.reject(thrown));
      await meter.collect(9);
      expect(meter.reserve).toHaveBeenCalledTimes(1);
    }
  });

  test('rejects when the ledger fails', async () => {
    const meter = meterWith(() => Promise.reject(new Error('connection lost')));
    await expect(meter.collect(2)).rejects.toThrow('connection lost');
  });
});
