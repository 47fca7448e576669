import { setImmediate as turn } from 'node:timers/promises';
import { ActionError } from '@latchkey/runner-protocol';
import { describe, expect, test, vi } from 'vitest';
import { type ActionRequestsOptions, createActionRequests } from './action-requests.ts';
import { type CallMessage, type FetchMessage, type ImportMessage, ProtocolViolation } from './protocol.ts';
import { callKey } from './testing.ts';

const none = new Uint8Array();
const call = (id: number): CallMessage => ({ type: 'call', id, operation: 'getActionPublicKey', args: {} });
const fetchMessage = (id: number): FetchMessage => ({
  type: 'fetch',
  id,
  url: 'http://host/',
  method: 'GET',
  headers: [],
  redirect: 'follow',
  hasBody: false,
});
const reply = { url: 'http://host/', status: 200, statusText: '', redirected: false, headers: [] };

function requestsWith(options: Partial<ActionRequestsOptions> = {}) {
  const ended = new AbortController();
  const send = vi.fn(async () => {});
  const fail = vi.fn();
  const onHostError = vi.fn();
  const { take } = createActionRequests({
    callKey,
    limits: { maxKeyOperations: 2, maxFetches: 8 },
    load: () => Promise.reject(new ActionError('ImportError', 'no CDN')),
    fetch: async () => [reply],
    send,
    fail,
    ended: ended.signal,
    onHostError,
    ...options,
  });
  return { take, send, fail, onHostError, ended };
}

describe('a key operation', () => {
  test('returns its result', async () => {
    const { take, send } = requestsWith({
      callKey: async (operation) => `${operation} 0x01`,
    });
    take({ ...call(1), operation: 'getActionPrivateKey' }, none);
    await turn();
    expect(send.mock.calls).toEqual([
      [{ type: 'reply', id: 1, ok: true, value: 'getActionPrivateKey 0x01' }, undefined],
    ]);
  });

  test('returns an ActionError with its name and message', async () => {
    const { take, send, onHostError } = requestsWith();
    take(call(1), none);
    await turn();
    expect(send.mock.calls).toEqual([
      [
        {
          type: 'reply',
          id: 1,
          ok: false,
          name: 'WalletNotPermittedError',
          message: expect.stringContaining('getActionPublicKey'),
        },
      ],
    ]);
    expect(onHostError).not.toHaveBeenCalled();
  });

  test('that fails on the host returns an InternalError without detail, and is reported', async () => {
    const failure = new Error('secret');
    const { take, send, onHostError } = requestsWith({
      callKey: () => Promise.reject(failure),
    });
    take({ ...call(1), operation: 'getActionPrivateKey' }, none);
    await turn();
    expect(send.mock.calls).toEqual([[expect.objectContaining({ ok: false, name: 'InternalError' })]]);
    expect(JSON.stringify(send.mock.calls)).not.toContain('secret');
    expect(onHostError.mock.calls).toEqual([[failure]]);
  });

  test('above the limit ends the run', () => {
    const { take, fail } = requestsWith();
    for (const id of [1, 2]) take(call(id), none);
    expect(fail).not.toHaveBeenCalled();
    take(call(3), none);
    expect(fail.mock.calls).toEqual([[expect.objectContaining({ name: 'KeyLimitError' })]]);
  });

  test('is not answered after the end of the run', async () => {
    const { take, send, ended } = requestsWith();
    take(call(1), none);
    ended.abort();
    await turn();
    expect(send).not.toHaveBeenCalled();
  });
});

describe('a fetch', () => {
  test('returns its reply and body', async () => {
    const body = new Uint8Array([1]);
    const { take, send } = requestsWith({ fetch: async () => [reply, body] });
    take(fetchMessage(1), none);
    await turn();
    expect(send.mock.calls).toEqual([[{ type: 'reply', id: 1, ok: true, value: reply }, body]]);
  });

  test('waits while six others are in flight, and starts when one ends', async () => {
    const ends: (() => void)[] = [];
    const fetch = vi.fn(() => new Promise<[typeof reply]>((resolve) => ends.push(() => resolve([reply]))));
    const { take } = requestsWith({ fetch });
    for (let id = 1; id <= 8; id++) take(fetchMessage(id), none);
    await turn();
    expect(fetch).toHaveBeenCalledTimes(6);
    ends[0]?.();
    await turn();
    expect(fetch).toHaveBeenCalledTimes(7);
  });

  test('is aborted when the action aborts it; a waiting one never starts', async () => {
    const signals = new Map<number, AbortSignal>();
    const fetch = vi.fn(({ id }: FetchMessage, _body: Uint8Array, signal: AbortSignal) => {
      signals.set(id, signal);
      return new Promise<[typeof reply]>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new ActionError('AbortError', 'aborted'))),
      );
    });
    const { take } = requestsWith({ fetch });
    for (let id = 1; id <= 7; id++) take(fetchMessage(id), none);
    take({ type: 'abort', id: 7 }, none);
    take({ type: 'abort', id: 1 }, none);
    await turn();
    expect(signals.get(1)?.aborted).toBe(true);
    expect(signals.get(2)?.aborted).toBe(false);
    expect(signals.has(7)).toBe(false);
  });

  test.each([
    ['fetching more often than the limit', async () => [reply] as [typeof reply], 9],
    [
      'redirects above the limit',
      async (_message: unknown, _body: unknown, _signal: unknown, onRequest: () => void) => {
        for (let hop = 0; hop < 9; hop++) onRequest();
        return [reply] as [typeof reply];
      },
      1,
    ],
  ])('%s ends the run', async (_name, fetch, count) => {
    const { take, fail } = requestsWith({ fetch });
    for (let id = 1; id <= count; id++) take(fetchMessage(id), none);
    await turn();
    expect(fail.mock.calls).toEqual([[expect.objectContaining({ name: 'FetchLimitError' })]]);
  });
});

describe('a protocol violation', () => {
  test('is an id that is not larger than earlier ids', () => {
    const { take } = requestsWith();
    take(call(5), none);
    for (const id of [5, 4]) expect(() => take(fetchMessage(id), none)).toThrow(ProtocolViolation);
  });

  test('is more aborts than the limit of fetches', () => {
    const { take } = requestsWith();
    for (let id = 1; id <= 8; id++) take({ type: 'abort', id }, none);
    expect(() => take({ type: 'abort', id: 9 }, none)).toThrow(ProtocolViolation);
  });
});

describe('an import', () => {
  const imported = (id: number, specifier = 'one@1.0.0'): ImportMessage => ({
    ...{ type: 'import', id, specifier, referrer: null },
  });
  const moduleOf = async (url: string) => ({ url, hash: 'sha384-', source: Buffer.from(`// ${url}`) });

  test('returns the text of a module once', async () => {
    const { take, send } = requestsWith({ load: moduleOf });
    take(imported(1), none);
    await turn();
    take(imported(2), none);
    await turn();
    const reply = { type: 'reply', ok: true, value: { url: 'one@1.0.0', hash: 'sha384-' } };
    expect(send.mock.calls).toEqual([
      [{ ...reply, id: 1 }, Buffer.from('// one@1.0.0')],
      [{ ...reply, id: 2 }, undefined],
    ]);
  });

  test('loads no more modules after the limit', async () => {
    const load = vi.fn(moduleOf);
    const { take, send } = requestsWith({ load });
    for (let id = 1; id <= 200; id++) take(imported(id, `m@1.0.${id}`), none);
    await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(200));
    expect(load.mock.calls.length).toBeLessThanOrEqual(103); // three concurrently
    const message = 'the action imports more than 100 modules';
    expect(send).toHaveBeenLastCalledWith({
      type: 'reply',
      id: 200,
      ok: false,
      name: 'ImportError',
      message,
    });
  });

  test('is a violation after ten thousand', () => {
    const { take } = requestsWith({ load: moduleOf });
    for (let id = 1; id <= 10_000; id++) take(imported(id), none);
    expect(() => take(imported(10_001), none)).toThrow(ProtocolViolation);
  });
});
