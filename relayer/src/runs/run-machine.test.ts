import { ActionError, failedResult, noUsage, RuntimeUnavailableError } from '@latchkey/runner-protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RunUnpaidError } from '../billing/run-meter.ts';
import type { RunOutcome } from '../billing/runs.ts';
import { RunInterruptedError } from '../runners/errors.ts';
import { advance, ask, type Effect, type Run, type RunEvent } from './run-machine.ts';

const success = { response: 1, logs: '', hasError: false, durationMs: 1, usage: noUsage };
const failure = failedResult({ name: 'Error', message: 'm', stack: '' });
const outcome: RunOutcome = { id: '1', cid: 'c', receipt: undefined, result: success, costMicros: 1n };
const error = new Error('down');
const outage = new RuntimeUnavailableError('too few key nodes answer');
const unpaid = new RunUnpaidError('released');
const interrupted = new RunInterruptedError('stopping');
const stopped = new ActionError('StoppedError', 'stopped by its account');
const ofStopped = failedResult({
  ...stopped,
  message: stopped.message,
  stack: 'StoppedError: stopped by its account',
});

const keyBlock = 5n;
const runs: Record<Run['state'], Run> = {
  asked: { state: 'asked', keyBlock },
  permitted: { state: 'permitted', keyBlock },
  paid: { state: 'paid' },
  placed: { state: 'placed' },
  running: { state: 'running' },
  ended: { state: 'ended' },
  refunded: { state: 'refunded', error },
  refused: { state: 'refused' },
};
const refund = { type: 'refund' } as const;

type Row = [from: Run['state'], RunEvent, to: Run['state'], Effect];
const rows: Row[] = [
  ['asked', { type: 'permitted' }, 'permitted', { type: 'reserve' }],
  ['asked', { type: 'failed', error }, 'refused', { type: 'fail', error }],
  ['permitted', { type: 'paid', accountHead: 5n }, 'placed', { type: 'place' }],
  ['permitted', { type: 'paid', accountHead: 6n }, 'paid', { type: 'ask again' }],
  ['permitted', { type: 'failed', error }, 'refused', { type: 'fail', error }],
  ['paid', { type: 'permitted' }, 'placed', { type: 'place' }],
  ['paid', { type: 'failed', error }, 'refunded', refund],
  ['placed', { type: 'begun' }, 'running', { type: 'start' }],
  [
    'placed',
    { type: 'stopped', error: stopped },
    'ended',
    { type: 'capture', result: ofStopped, hasBegun: false },
  ],
  ['placed', { type: 'failed', error }, 'refunded', refund],
  ['running', { type: 'moved' }, 'placed', { type: 'pause' }],
  [
    'running',
    { type: 'finished', result: success },
    'ended',
    { type: 'capture', result: success, hasBegun: true },
  ],
  [
    'running',
    { type: 'finished', result: failure },
    'ended',
    { type: 'capture', result: failure, hasBegun: true },
  ],
  [
    'running',
    { type: 'finished', result: failure, stop: stopped },
    'ended',
    { type: 'capture', result: failure, hasBegun: true },
  ],
  [
    'running',
    { type: 'finished', result: success, outage },
    'ended',
    { type: 'capture', result: success, hasBegun: true },
  ],
  ['running', { type: 'finished', result: failure, outage }, 'refunded', refund],
  ['running', { type: 'finished', result: success, stop: unpaid }, 'refunded', refund],
  ['running', { type: 'finished', result: failure, stop: interrupted }, 'refunded', refund],
  ['running', { type: 'failed', error }, 'refunded', refund],
  ['ended', { type: 'captured', outcome }, 'ended', { type: 'reply', outcome }],
  ['ended', { type: 'failed', error }, 'refunded', refund],
  ['refunded', { type: 'refunded' }, 'refunded', { type: 'fail', error }],
  ['refunded', { type: 'failed', error: unpaid }, 'refunded', { type: 'fail', error: unpaid }],
  ['refused', { type: 'failed', error }, 'refused', { type: 'fail', error }],
];

test('begins by asking the contract', () => {
  expect(ask(keyBlock)).toEqual({ run: runs.asked, effect: { type: 'ask' } });
});

test.each(rows)('%s, then %o: %s', (from, event, to, effect) => {
  const next = advance(runs[from], event);
  expect([next.run.state, next.effect]).toEqual([to, effect]);
});

test.each([
  [{ type: 'finished', result: failure, outage }, outage],
  [{ type: 'finished', result: success, stop: unpaid }, unpaid],
  [{ type: 'finished', result: failure, stop: interrupted, outage }, interrupted],
  [{ type: 'failed', error }, error],
] satisfies [RunEvent, Error][])('a refunded run fails with its cause: %o', (event, cause) => {
  const { run } = advance(runs.running, event);
  expect(advance(run, { type: 'refunded' }).effect).toEqual({ type: 'fail', error: cause });
});

const events: RunEvent[] = [
  ...new Map(rows.map(([, event]) => [event.type, event])).values(),
  { type: 'paid', accountHead: 6n },
  { type: 'finished', result: failure, outage },
];

describe('whatever happens', () => {
  test('throws for the events that no row has', () => {
    const known = new Set(rows.map(([from, { type }]) => `${from} ${type}`));
    for (const [state, run] of Object.entries(runs))
      for (const event of events)
        if (!known.has(`${state} ${event.type}`))
          expect(() => advance(run, event)).toThrow(`a run that is ${state} cannot be ${event.type}`);
  });

  test('asks before it reserves, reserves before it places, and settles what it reserved once', () => {
    const happened = fc.array(fc.constantFrom(...events), { maxLength: 30 });
    fc.assert(
      fc.property(happened, (events) => {
        let { run, effect } = ask(keyBlock);
        const effects: Effect['type'][] = [effect.type];
        for (const event of events) {
          try {
            ({ run, effect } = advance(run, event));
          } catch {
            continue;
          }
          effects.push(effect.type);
        }
        const count = (type: Effect['type']) => effects.filter((one) => one === type).length;
        expect(count('reserve')).toBeLessThanOrEqual(1);
        expect(count('place')).toBeLessThanOrEqual(count('reserve'));
        expect(count('refund')).toBeLessThanOrEqual(count('reserve'));
        expect(count('capture')).toBeLessThanOrEqual(count('place'));
        // A failed capture is refunded, which has no effect on a run whose end is stored.
        const isSettled = count('capture') + count('refund') > 0;
        if (count('reply') > 0) expect(isSettled).toBe(true);
        if (count('fail') > 0 && run.state !== 'refused') expect(count('refund')).toBe(1);
      }),
    );
  });
});
