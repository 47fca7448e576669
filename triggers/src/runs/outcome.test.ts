import { expect, test } from 'vitest';
import type { RunAnswer } from '../run-request.ts';
import { decide, retryDelayMs } from './outcome.ts';
import type { Executed } from './queue.ts';

const run = { attempt: 0, claim: 1, isLate: false, isOld: false, othersRan: false };

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

test('a run fails when a runner crashed under it three times while others ran', () => {
  const answer: RunAnswer = { kind: 'crashed', httpStatus: 502, message: 'crashed' };
  const othersRan = true;
  for (const attempt of [0, 1])
    expect(decide(answer, { ...run, attempt, othersRan })).toMatchObject({
      outcome: { status: 'queued', executed: 'perhaps' },
      attempt: { httpStatus: 502 },
    });
  expect(decide(answer, { ...run, attempt: 2, othersRan }).outcome).toMatchObject({
    status: 'failed',
    error: { name: 'service_unavailable', message: 'crashed' },
  });
  const alone = decide(answer, { ...run, attempt: 2 });
  expect(alone.outcome).toMatchObject({ status: 'queued', executed: 'perhaps' });
  expect(alone.attempt).toBeUndefined();
});

test('a run that waits for the service for a day holds its trigger, and does not fail', () => {
  const answer: RunAnswer = {
    kind: 'unreachable',
    httpStatus: 500,
    message: '',
    retryAfterMs: 0,
    began: false,
  };
  expect(decide(answer, { ...run, claim: 10_000 }).trigger).toBeUndefined();
  for (const isOld of [false, true])
    expect(decide(answer, { ...run, claim: 10_000, isLate: true, isOld })).toMatchObject({
      outcome: { status: 'queued', executed: 'perhaps' },
      trigger: { state: 'held', reason: 'service_unavailable' },
    });
});

const inAMinute = { message: '', retryAfterMs: 60_000 };
test.each<[string, RunAnswer, Executed]>([
  ['429', { kind: 'limited', httpStatus: 429, ...inAMinute }, 'not now'],
  ['a cap', { kind: 'limited', httpStatus: 402, ...inAMinute }, 'not now'],
  ['503', { kind: 'unreachable', httpStatus: 503, ...inAMinute, began: false }, 'perhaps'],
  ['500', { kind: 'unreachable', httpStatus: 500, ...inAMinute, began: false }, 'perhaps'],
])('%s waits as told, without an attempt', (_name, answer, executed) => {
  const decision = decide(answer, { ...run, isOld: true });
  expect(decision).toEqual({ outcome: { status: 'queued', delayMs: 60_000, executed } });
});

test('a 409 for a waiting approval shows that no earlier request was executed', () => {
  const answer: RunAnswer = { kind: 'limited', httpStatus: 409, ...inAMinute };
  expect(decide(answer, run).outcome).toMatchObject({ executed: 'never' });
});

test('waits at most an hour', () => {
  const answer: RunAnswer = { kind: 'limited', httpStatus: 429, message: '', retryAfterMs: 1e12 };
  expect(decide(answer, run).outcome).toMatchObject({ delayMs: 3_600_000 });
});

test.each<[RunAnswer, string]>([
  [{ kind: 'unpaid', httpStatus: 402, message: 'no credit' }, 'payment_required'],
  [{ kind: 'unknown key', httpStatus: 401, message: 'no key' }, 'unauthorized'],
])('$kind keeps a run for 7 days', (answer, name) => {
  expect(decide(answer, run).outcome).toMatchObject({ status: 'queued', executed: 'not now' });
  expect(decide(answer, { ...run, isOld: true })).toMatchObject({
    outcome: { status: 'failed', error: { name, message: answer.kind === 'reply' ? '' : answer.message } },
  });
});

test('a trigger is held without credit, and paused with an unknown key', () => {
  expect(decide({ kind: 'unpaid', httpStatus: 402, message: '' }, run).trigger).toEqual({
    state: 'held',
    reason: 'payment_required',
  });
  expect(decide({ kind: 'unknown key', httpStatus: 401, message: 'no key' }, run).trigger).toEqual({
    state: 'paused',
    reason: expect.stringMatching(/usage key.*no key$/),
  });
});

test('the delay without an attempt grows with the claims, up to about a minute', () => {
  const answer: RunAnswer = {
    kind: 'unreachable',
    httpStatus: 503,
    message: '',
    retryAfterMs: 0,
    began: false,
  };
  const delayAt = (claim: number) => decide(answer, { ...run, claim }).outcome as { delayMs: number };
  expect(delayAt(1).delayMs).toBeLessThan(1_500);
  for (const claim of [4, 100]) {
    expect(delayAt(claim).delayMs).toBeGreaterThanOrEqual(30_000);
    expect(delayAt(claim).delayMs).toBeLessThan(90_000);
  }
});

test('the delay after the code began grows to between half an hour and an hour', () => {
  const answer: RunAnswer = {
    kind: 'unreachable',
    httpStatus: 503,
    message: '',
    retryAfterMs: 0,
    began: true,
  };
  const { delayMs } = decide(answer, { ...run, claim: 100 }).outcome as { delayMs: number };
  expect(delayMs).toBeGreaterThanOrEqual(1_800_000);
  expect(delayMs).toBeLessThanOrEqual(3_600_000);
});
