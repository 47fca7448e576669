import { expect, test } from 'vitest';
import type { RunAnswer } from '../relayer-client.ts';
import { decide, retryDelayMs } from './outcome.ts';

const run = { attempt: 0, claim: 1, isOld: false };

test('the delay grows fourfold per attempt, with 50 % jitter', () => {
  for (const [attempt, ms] of [
    [1, 1_000],
    [2, 4_000],
    [3, 16_000],
  ] as const) {
    const delays = Array.from({ length: 200 }, () => retryDelayMs(attempt));
    for (const delayMs of delays) {
      expect(delayMs).toBeGreaterThanOrEqual(ms / 2);
      expect(delayMs).toBeLessThan(ms * 1.5);
    }
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(ms / 2);
  }
});

test('a run fails after the third retry of a failed execution', () => {
  const answer: RunAnswer = { kind: 'failed', httpStatus: 500, message: 'broken' };
  for (const attempt of [0, 1, 2])
    expect(decide(answer, { ...run, attempt })).toMatchObject({
      outcome: { status: 'queued', mayHaveRun: true },
      attempt: { httpStatus: 500 },
    });
  expect(decide(answer, { ...run, attempt: 3 }).outcome).toMatchObject({
    status: 'failed',
    error: { name: 'service_unavailable', message: 'broken' },
  });
});

test.each<[string, RunAnswer, boolean]>([
  ['429', { kind: 'limited', httpStatus: 429, message: '', retryAfterMs: 60_000 }, false],
  ['a cap', { kind: 'limited', httpStatus: 402, message: '', retryAfterMs: 60_000 }, false],
  ['503', { kind: 'unreachable', httpStatus: 503, message: '', retryAfterMs: 60_000 }, true],
])('%s waits as told, without an attempt', (_name, answer, mayHaveRun) => {
  const decision = decide(answer, { ...run, isOld: true });
  expect(decision).toEqual({ outcome: { status: 'queued', delayMs: 60_000, mayHaveRun } });
});

test('waits at most an hour', () => {
  const answer: RunAnswer = { kind: 'limited', httpStatus: 429, message: '', retryAfterMs: 1e12 };
  expect(decide(answer, run).outcome).toMatchObject({ delayMs: 3_600_000 });
});

test.each<[RunAnswer, string]>([
  [{ kind: 'unpaid', httpStatus: 402, message: 'no credit' }, 'payment_required'],
  [{ kind: 'unknown key', httpStatus: 401, message: 'no key' }, 'unauthorized'],
])('$kind keeps a run for 7 days', (answer, name) => {
  expect(decide(answer, run).outcome).toMatchObject({ status: 'queued', mayHaveRun: false });
  expect(decide(answer, { ...run, isOld: true })).toMatchObject({
    outcome: { status: 'failed', error: { name, message: answer.kind === 'reply' ? '' : answer.message } },
  });
});

test('the delay without an attempt grows with the claims, up to about 16 s', () => {
  const answer: RunAnswer = { kind: 'unreachable', httpStatus: 503, message: '', retryAfterMs: 0 };
  const delayAt = (claim: number) => decide(answer, { ...run, claim }).outcome as { delayMs: number };
  expect(delayAt(1).delayMs).toBeLessThan(1_500);
  for (const claim of [3, 100]) {
    expect(delayAt(claim).delayMs).toBeGreaterThanOrEqual(8_000);
    expect(delayAt(claim).delayMs).toBeLessThan(24_000);
  }
});
