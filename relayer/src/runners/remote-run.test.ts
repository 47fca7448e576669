import {
  ActionError,
  defaultLimits,
  noUsage,
  RuntimeUnavailableError,
  type ToRunner,
} from '@latchkey/runner-protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NotStartedError, type RunMessage, type RunRequest, startRemoteRun } from './remote-run.ts';

const result = { response: 1, logs: '', hasError: false, durationMs: 10, usage: noUsage };
const ended: RunMessage = { type: 'result', id: 1, result };
const other = { type: 'result' as const, id: 1, result: { ...result, response: 2 } };
const taken: RunMessage = { type: 'taken', id: 1 };
const unavailable: RunMessage = { type: 'unavailable', id: 1, message: 'no process' };
const codeMissing: RunMessage = { type: 'code missing', id: 1 };

/** A run, the messages to its runner, what its caller was told, and how it ended. */
function start(takesIdle: boolean, more: Partial<RunRequest> = {}) {
  const sent: ToRunner['type'][] = [];
  const bodies: string[] = [];
  const told: string[] = [];
  const stop = new AbortController();
  const request: RunRequest = {
    account: 1n,
    usageKeyHash: 7n,
    cid: 'cid',
    code: 'code',
    params: '{}',
    timeoutMs: 1_000,
    keys: {} as never,
    takeAllowance: async () => '',
    onBegin: () => void told.push('begun'),
    onMove: () => void told.push('moved'),
    onLog: (text) => void told.push(text),
    signal: stop.signal,
    ...more,
  };
  const send = (message: ToRunner, body?: Uint8Array) => {
    sent.push(message.type);
    if (body) bodies.push(String(body));
  };
  const run = startRemoteRun({ id: 1, request, takesIdle, send });
  const end = run.ended.catch((error: unknown) => error);
  const receive = (...messages: RunMessage[]) => messages.forEach(run.receive);
  return { run, receive, sent, bodies, told, stop, end };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Started = ReturnType<typeof start>;
test.each<[title: string, takesIdle: boolean, messages: RunMessage[], expected: Partial<Started>]>([
  ['takes a process, then runs', false, [taken], { sent: ['take', 'run'], told: ['begun'] }],
  ['runs in an idle process without taking it first', true, [], { sent: ['run'], told: ['begun'] }],
  ['begins once', false, [taken, taken], { sent: ['take', 'run'], told: ['begun'] }],
  ['sends code that the runner asks for', true, [codeMissing], { sent: ['run', 'run'], bodies: ['code'] }],
  ['sends no code before a process is taken', false, [codeMissing], { sent: ['take'], bodies: [] }],
  ['tells output', true, [{ type: 'log', id: 1, text: 'hi' }], { told: ['begun', 'hi'] }],
  ['tells no output before it begins', false, [{ type: 'log', id: 1, text: 'hi' }], { told: [] }],
  ['tells that it moves once', true, [unavailable, unavailable, ended], { told: ['begun', 'moved'] }],
])('%s', (_title, takesIdle, messages, expected) => {
  const started = start(takesIdle);
  started.receive(...messages);
  expect(started).toMatchObject(expected);
  started.run.close();
});

test.each<[title: string, takesIdle: boolean, messages: RunMessage[], end: unknown]>([
  ['has its result', false, [taken, ended], { ...result, durationMs: 0 }],
  ['has no result before it begins', false, [ended, taken, other], { ...other.result, durationMs: 0 }],
  ['can be without an idle process', true, [unavailable, ended], new NotStartedError('no process')],
])('a run %s', async (_title, takesIdle, messages, end) => {
  const started = start(takesIdle);
  started.receive(...messages);
  expect(await started.end).toEqual(end);
});

test.each<[title: string, takesIdle: boolean, earlier: RunMessage]>([
  ['it has a process', false, taken],
  ['it asked for the code', true, codeMissing],
  ['there was output', true, { type: 'log', id: 1, text: 'hi' }],
])(
  'a runner cannot refuse a run after %s, so that it runs at another one too',
  (_title, takesIdle, earlier) => {
    const { receive, told, run } = start(takesIdle);
    receive(earlier);
    expect(() => receive(unavailable)).toThrow('refused the run 1 after another message about it');
    expect(told).not.toContain('moved');
    run.close();
  },
);

test('a runner gets the code of a run once', () => {
  const { receive, bodies, run } = start(true);
  receive(codeMissing);
  expect(() => receive(codeMissing)).toThrow('asked for the code of the run 1 twice');
  expect(bodies).toEqual(['code']);
  run.close();
});

test('output beyond the limit of console bytes is dropped, and so are empty texts', () => {
  const { receive, told, run } = start(true);
  const text = 'é'.repeat(defaultLimits.maxConsoleBytes / 4);
  const log: RunMessage = { type: 'log', id: 1, text };
  receive({ ...log, text: '' }, log, log, { ...log, text: 'x' }, log);
  expect(told).toEqual(['begun', text, text]);
  run.close();
});

test('a runner cannot charge for longer than the run lasted', async () => {
  const { receive, end } = start(true);
  vi.advanceTimersByTime(3);
  receive(ended);
  expect(await end).toMatchObject({ durationMs: 3 });
});

test('a lost run can begin elsewhere until its code can have begun', async () => {
  const waiting = start(false);
  const lost = new RuntimeUnavailableError('the runner was lost');
  waiting.run.lose(lost);
  expect(await waiting.end).toBeInstanceOf(NotStartedError);
  const idle = start(true);
  idle.run.lose(lost);
  expect(await idle.end).toBe(lost);
});

test('gives its keys only while its code runs', () => {
  const { run, receive } = start(false);
  expect(run.holder()).toBeUndefined();
  receive(taken);
  expect(run.holder()).toMatchObject({ cid: 'cid' });
});

test('a stop gives a process back before the run begins, and ends the code afterwards', async () => {
  const waiting = start(false);
  const stopped = new ActionError('StoppedError', 'stopped');
  waiting.stop.abort(stopped);
  waiting.receive(taken);
  expect(await waiting.end).toBe(stopped);
  expect(waiting.sent).toEqual(['take', 'give back']);
  const running = start(true);
  running.stop.abort(stopped);
  expect(running.sent).toEqual(['run', 'stop']);
  running.receive(ended);
  expect(await running.end).toMatchObject({ response: 1 });
});

test.each([
  ['after its time limit', 11_000, () => {}],
  ['after its stop', 10_000, ({ stop }: Started) => stop.abort()],
])('is lost when its runner does not tell its end within ten seconds %s', async (_when, ms, before) => {
  const started = start(true);
  before(started);
  let isOver = false;
  void started.end.then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await started.end).toEqual(new RuntimeUnavailableError('the runner does not answer'));
});
