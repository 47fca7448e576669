import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from '@latchkey/fork-server/testing';
import { ActionError } from '@latchkey/runner-protocol';
import { describe, expect, test, vi } from 'vitest';
import { type FetchControlMessage, type FetchMessage, ProtocolViolation } from '../runs/protocol.ts';
import { createFetchRequests, type FetchRequestsOptions, type RequestBody } from './fetch-requests.ts';

const none = new Uint8Array();
const fetchMessage = (id: number): FetchMessage => ({
  type: 'fetch',
  id,
  url: 'http://host/',
  method: 'GET',
  headers: [],
  redirect: 'follow',
  body: 'none',
});
const head = { url: 'http://host/', status: 200, statusText: '', redirected: false, headers: [] };
type Fetched = Awaited<ReturnType<FetchRequestsOptions['fetch']>>;

function requestsWith(fetch: FetchRequestsOptions['fetch']) {
  const ended = new AbortController();
  const send = vi.fn<FetchRequestsOptions['send']>(async () => {});
  const fail = vi.fn();
  const toFailure = (error: unknown) => ({ name: (error as Error).name, message: (error as Error).message });
  const requests = createFetchRequests({
    limits: { maxFetches: 8, maxFetchBytes: 1_000 },
    fetch,
    send,
    fail,
    toFailure,
    ended: ended.signal,
  });
  const control = (message: FetchControlMessage, body = none) => requests.control(message, body);
  return { ...requests, control, send, fail, ended };
}

describe('a fetch', () => {
  test('without a body returns its head', async () => {
    const { start, send } = requestsWith(async () => [head]);
    start(fetchMessage(1), none);
    await eventually(() => send.mock.calls.length === 1);
    expect(send.mock.calls).toEqual([
      [{ type: 'reply', id: 1, ok: true, value: { ...head, body: 'none' } }, undefined],
    ]);
  });

  test('returns a small body with its head', async () => {
    async function* body() {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    }
    const { start, send } = requestsWith(async () => [head, body()]);
    start(fetchMessage(1), none);
    await eventually(() => send.mock.calls.length === 1);
    expect(send.mock.calls).toEqual([
      [{ type: 'reply', id: 1, ok: true, value: { ...head, body: 'whole' } }, Buffer.from('one two')],
    ]);
  });

  test('waits while six others wait for their heads, and starts when one has come', async () => {
    const ends: (() => void)[] = [];
    const fetch = vi.fn(() => new Promise<Fetched>((resolve) => ends.push(() => resolve([head]))));
    const { start } = requestsWith(fetch);
    for (let id = 1; id <= 8; id++) start(fetchMessage(id), none);
    await turn();
    expect(fetch).toHaveBeenCalledTimes(6);
    ends[0]?.();
    await eventually(() => fetch.mock.calls.length === 7);
  });

  test('does not wait for bodies that the action leaves unread', async () => {
    const fetch = vi.fn(async (): Promise<Fetched> => [head, endless()]);
    const { start } = requestsWith(fetch);
    for (let id = 1; id <= 8; id++) start(fetchMessage(id), none);
    await eventually(() => fetch.mock.calls.length === 8);
  });

  test('ends the run when all of them used more bytes than the limit', () => {
    const { countBytes, fail } = requestsWith(async () => [head]);
    for (let times = 0; times < 2; times++) countBytes(500);
    expect(fail).not.toHaveBeenCalled();
    countBytes(1);
    expect(fail.mock.calls).toEqual([
      [
        expect.objectContaining({
          name: 'FetchLimitError',
          message: 'the fetches of the action used more than 1000 bytes',
        }),
      ],
    ]);
  });

  test('is aborted when the action aborts it; a waiting one never starts', async () => {
    const signals = new Map<number, AbortSignal>();
    const fetch = vi.fn(({ id }: FetchMessage, _body: RequestBody, signal: AbortSignal) => {
      signals.set(id, signal);
      return new Promise<Fetched>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new ActionError('AbortError', 'aborted'))),
      );
    });
    const { start, control } = requestsWith(fetch);
    for (let id = 1; id <= 7; id++) start(fetchMessage(id), none);
    control({ type: 'abort', id: 7 });
    control({ type: 'abort', id: 1 });
    await turn();
    expect(signals.get(1)?.aborted).toBe(true);
    expect(signals.get(2)?.aborted).toBe(false);
    expect(signals.has(7)).toBe(false);
  });

  test.each<[string, FetchRequestsOptions['fetch'], number]>([
    ['fetching more often than the limit', async () => [head], 9],
    [
      'redirects above the limit',
      async (_message, _body, _signal, onRequest) => {
        for (let hop = 0; hop < 9; hop++) onRequest();
        return [head];
      },
      1,
    ],
  ])('%s ends the run', async (_name, fetch, count) => {
    const { start, fail } = requestsWith(fetch);
    for (let id = 1; id <= count; id++) start(fetchMessage(id), none);
    await turn();
    expect(fail.mock.calls).toEqual([[expect.objectContaining({ name: 'FetchLimitError' })]]);
  });
});

const CHUNK = Buffer.alloc(64 * 1024);
let produced = 0;
async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    produced += 1;
    yield CHUNK;
    await turn();
  }
}

describe('the body of a response', () => {
  const chunksOf = (send: { mock: { calls: unknown[][] } }) =>
    send.mock.calls.filter(([message]) => (message as { type: string }).type === 'chunk');

  test('is sent four chunks ahead of the action, and read on as it takes them', async () => {
    produced = 0;
    const { start, control, send } = requestsWith(async () => [head, endless()]);
    start(fetchMessage(1), none);
    await eventually(() => chunksOf(send).length === 4);
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(chunksOf(send)).toHaveLength(4);
    expect(produced).toBeLessThanOrEqual(4);
    control({ type: 'pull', id: 1, chunks: 2 });
    await eventually(() => chunksOf(send).length === 6);
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(chunksOf(send)).toHaveLength(6);
  });

  test('is divided into chunks of at most 64 KiB', async () => {
    async function* large() {
      yield Buffer.alloc(150 * 1024, 1);
    }
    const { start, send } = requestsWith(async () => [head, large()]);
    start(fetchMessage(1), none);
    await eventually(() => chunksOf(send).length === 4);
    expect(
      chunksOf(send).map(([message, bytes]) => [message, (bytes as Buffer | undefined)?.length]),
    ).toEqual([
      [{ type: 'chunk', id: 1 }, 64 * 1024],
      [{ type: 'chunk', id: 1 }, 64 * 1024],
      [{ type: 'chunk', id: 1 }, 22 * 1024],
      [{ type: 'chunk', id: 1 }, undefined],
    ]);
  });

  test('that fails after its head is reported once', async () => {
    async function* broken() {
      yield CHUNK;
      yield CHUNK;
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new ActionError('TypeError', 'fetch failed: ECONNRESET');
    }
    const { start, send } = requestsWith(async () => [head, broken()]);
    start(fetchMessage(1), none);
    await eventually(() => send.mock.calls.length === 4);
    expect(send.mock.calls.map(([message]) => message.type)).toEqual(['reply', 'chunk', 'chunk', 'broken']);
    expect(send.mock.lastCall).toEqual([
      { type: 'broken', id: 1, name: 'TypeError', message: 'fetch failed: ECONNRESET' },
    ]);
  });

  test('is not sent after an abort or the end of the run', async () => {
    for (const end of [
      ({ control }: ReturnType<typeof requestsWith>) => control({ type: 'abort', id: 1 }),
      ({ ended }: ReturnType<typeof requestsWith>) => ended.abort(),
    ]) {
      const requests = requestsWith(async () => [head, endless()]);
      requests.start(fetchMessage(1), none);
      await eventually(() => chunksOf(requests.send).length === 4);
      end(requests);
      requests.control({ type: 'pull', id: 1, chunks: 4 });
      for (let turns = 0; turns < 20; turns++) await turn();
      expect(requests.send).toHaveBeenCalledTimes(5);
    }
  });
});

describe('the body of a request in chunks', () => {
  const streamed = (id: number): FetchMessage => ({ ...fetchMessage(id), method: 'POST', body: 'chunks' });

  test('is requested chunk by chunk, until an empty one', async () => {
    const got: string[] = [];
    const { start, control, send } = requestsWith(async (_message, body) => {
      for await (const chunk of body as AsyncIterable<Uint8Array>) got.push(Buffer.from(chunk).toString());
      return [head];
    });
    start(streamed(1), none);
    const pull = [{ type: 'pull', id: 1, maxBytes: 64 * 1024 }];
    for (const [at, text] of ['one', 'two', ''].entries()) {
      await eventually(() => send.mock.calls.length === at + 1);
      expect(send.mock.calls[at]).toEqual(pull);
      control({ type: 'chunk', id: 1 }, Buffer.from(text));
    }
    await eventually(() => send.mock.calls.length === 4);
    expect(got).toEqual(['one', 'two']);
  });

  test.each<
    [string, (control: (message: FetchControlMessage, body?: Uint8Array<ArrayBuffer>) => void) => void]
  >([
    ['for a fetch that was never made', (control) => control({ type: 'chunk', id: 9 })],
    ['larger than a chunk', (control) => control({ type: 'chunk', id: 1 }, Buffer.alloc(64 * 1024 + 1))],
    [
      'that was not requested',
      (control) => {
        control({ type: 'chunk', id: 1 }, Buffer.from('a'));
        control({ type: 'chunk', id: 1 }, Buffer.from('b'));
      },
    ],
  ])('is a violation with a chunk %s', async (_which, send) => {
    const requests = requestsWith(async (_message, body) => {
      for await (const _chunk of body as AsyncIterable<Uint8Array>);
      return [head];
    });
    requests.start(streamed(1), none);
    await eventually(() => requests.send.mock.calls.length === 1);
    expect(() => send(requests.control)).toThrow(ProtocolViolation);
  });

  test('is a violation with a chunk after its end', async () => {
    const { start, control, send } = requestsWith(async (_message, body) => {
      for await (const _chunk of body as AsyncIterable<Uint8Array>);
      return [head];
    });
    start(streamed(1), none);
    await eventually(() => send.mock.calls.length === 1);
    control({ type: 'chunk', id: 1 });
    await turn();
    expect(() => control({ type: 'chunk', id: 1 }, Buffer.from('a'))).toThrow(ProtocolViolation);
  });

  test('of more than a hundred thousand chunks ends the run', async () => {
    const { start, control, send, fail } = requestsWith(async (_message, body) => {
      for await (const _chunk of body as AsyncIterable<Uint8Array>);
      return [head];
    });
    send.mockImplementation(async () => {
      if (!fail.mock.calls.length) setImmediate(() => control({ type: 'chunk', id: 1 }, Buffer.from('a')));
    });
    start(streamed(1), none);
    await eventually(() => fail.mock.calls.length === 1);
    expect(fail).toHaveBeenCalledWith(
      expect.objectContaining({
        name: 'FetchLimitError',
        message: 'the bodies of fetches have more than 100000 parts',
      }),
    );
    expect(send).toHaveBeenCalledTimes(100_001);
  });
});

describe('a protocol violation', () => {
  test('is more aborts than the limit of fetches', () => {
    const { control } = requestsWith(async () => [head]);
    for (let id = 1; id <= 8; id++) control({ type: 'abort', id });
    expect(() => control({ type: 'abort', id: 9 })).toThrow(ProtocolViolation);
  });

  test('is a pull of a fetch that was never made, or of more chunks than were sent', async () => {
    const { start, control, send } = requestsWith(async () => [head, endless()]);
    expect(() => control({ type: 'pull', id: 1, chunks: 1 })).toThrow(ProtocolViolation);
    start(fetchMessage(1), none);
    expect(() => control({ type: 'pull', id: 1, chunks: 1 })).toThrow(ProtocolViolation);
    await eventually(() => send.mock.calls.length === 5);
    expect(() => control({ type: 'pull', id: 1, chunks: 5 })).toThrow(ProtocolViolation);
    control({ type: 'pull', id: 1, chunks: 4 });
    expect(() => control({ type: 'pull', id: 1, chunks: 4 })).toThrow(ProtocolViolation);
  });
});
