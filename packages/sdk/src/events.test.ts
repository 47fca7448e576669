/** Streamed runs, from a server that cuts, refuses and fails its streams. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient } from './index.ts';

const apiKey = Buffer.alloc(32, 7).toString('base64');
const reply = { response: 5, logs: 'a\nb\n', has_error: false };
const headers = { 'X-Run-Id': 'id', 'X-Run-Cost-Micros': '10000' };
const result = { status: 200, headers, body: reply };

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const begin = event('run', { run_id: 'id', cid: 'Qm' }) + event('log', { text: 'a\n' });

/** Sends the first answer to the first request and so on. */
async function serve(...answers: ((response: ServerResponse) => void)[]) {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    expect(request.headers.accept).toBe('text/event-stream');
    request.resume();
    keys.push(request.headers['idempotency-key']);
    answers[keys.length - 1]?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey });
  return { client, keys };
}
const stream =
  (text: string, end: (response: ServerResponse) => void = (response) => response.end()) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.write(text, () => end(response));
  };

test('calls back with the start and the output, and returns the result', async () => {
  const { client } = await serve(
    stream(`${begin}:\n\n${event('log', { text: 'b\n' })}${event('result', result)}`),
  );
  const [onStart, onLog] = [vi.fn(), vi.fn()];
  expect(await client.runAction({ code: 'c' }, { onStart, onLog })).toMatchObject({
    response: 5,
    logs: 'a\nb\n',
    hasError: false,
    runId: 'id',
    costMicros: 10_000n,
  });
  expect(onStart.mock.calls).toEqual([[{ runId: 'id', cid: 'Qm' }]]);
  expect(onLog.mock.calls).toEqual([['a\n'], ['b\n']]);
});

test('asks again with the same Idempotency-Key after a stream without a result', async () => {
  const cut = stream(begin, (response) => response.destroy());
  const { client, keys } = await serve(cut, stream(begin), stream(event('result', result)));
  expect(await client.runAction({ code: 'c' }, { onLog: () => {} })).toMatchObject({ response: 5 });
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test('asks again after a result of 503', async () => {
  const body = { error: 'service_unavailable', message: 'stopping', request_id: 'r' };
  const stopped = event('result', { status: 503, headers: { 'Retry-After': '1' }, body });
  const { client, keys } = await serve(stream(begin + stopped), stream(event('result', result)));
  expect(await client.runAction({ code: 'c' }, { onLog: () => {} })).toMatchObject({ response: 5 });
  expect(keys).toHaveLength(2);
});

test('rejects with a plain refusal', async () => {
  const { client } = await serve((response) => {
    response.writeHead(402, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: 'payment_required', message: 'no credit', request_id: 'r' }));
  });
  await expect(client.runAction({ code: 'c' }, { onLog: () => {} })).rejects.toMatchObject({
    code: 'payment_required',
    status: 402,
  });
});

test('an error of a callback does not change the result', async () => {
  const uncaught: unknown[] = [];
  const { queueMicrotask } = globalThis;
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) =>
    queueMicrotask(() => {
      try {
        task();
      } catch (error) {
        uncaught.push(error);
      }
    }),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const { client, keys } = await serve(stream(begin + event('result', result)));
  const onLog = () => {
    throw new Error('of the callback');
  };
  expect(await client.runAction({ code: 'c' }, { onLog })).toMatchObject({ response: 5 });
  expect(keys).toHaveLength(1);
  expect(uncaught).toEqual([new Error('of the callback')]);
});
