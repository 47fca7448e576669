import { EventEmitter } from 'node:events';
import { cidOf } from '@latchkey/protocol';
import {
  type FromRunner,
  failedResult,
  fromRunner,
  readMessage,
  writeMessage,
} from '@latchkey/runner-protocol';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Runtime, Slot } from '../runtime.ts';
import { createActionCodes } from './action-codes.ts';
import { serveConnection } from './connection.ts';

const code = 'const main = () => 1';
const cid = await cidOf(code);

/** A connection to a runtime whose runs end when the test ends them. */
function connect() {
  const sent: FromRunner[] = [];
  const slots: { hasBegun: boolean; isReturned: boolean; end: () => void }[] = [];
  const take = async (): Promise<Slot> => {
    const ended = Promise.withResolvers<void>();
    const slot = { hasBegun: false, isReturned: false, end: ended.resolve };
    slots.push(slot);
    return {
      async run() {
        slot.hasBegun = true;
        await ended.promise;
        return failedResult({ name: 'Error', message: '', stack: '' });
      },
      release() {
        slot.isReturned = true;
      },
    };
  };
  const runtime = {
    take,
    walls: [],
    memoryLimitMb: 64,
    onLoad: () => () => {},
    stats: () => ({ idle: 0, starting: 0, running: 0, queued: 0 }),
  };
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    ping() {},
    send: (bytes: Buffer) => sent.push(readMessage(fromRunner, bytes).message),
    terminate: () => socket.emit('close'),
  });
  serveConnection(socket as never, {
    runtime: runtime as unknown as Runtime,
    codes: createActionCodes(),
    openKeys: undefined,
    log: pino({ level: 'silent' }),
  });
  const receive = (message: object, body = '') =>
    socket.emit('message', writeMessage(message, Buffer.from(body)));
  const sentOf = (type: FromRunner['type']) => sent.filter((message) => message.type === type).length;
  const taken = async (): Promise<void> => {
    const before = sentOf('taken');
    receive({ type: 'take', id: 1, account: '0x1' });
    await expect.poll(() => sentOf('taken')).toBe(before + 1);
  };
  return { slots, receive, sentOf, taken, close: socket.terminate };
}
const run = {
  type: 'run',
  id: 1,
  cid,
  params: '{}',
  timeoutMs: 1_000,
  usageKeyHash: '0x1',
  streamsLogs: false,
};

test('returns the process of an id that is used again before its first run has ended', async () => {
  const { slots, receive, sentOf, taken, close } = connect();
  await taken();
  receive(run, code);
  await expect.poll(() => slots[0]?.hasBegun).toBe(true);
  receive({ type: 'give back', id: 1 });
  await taken();
  slots[0]?.end();
  await expect.poll(() => sentOf('result')).toBe(1);
  close();
  expect(slots[1]?.isReturned).toBe(true);
});

test('begins no run that the relayer gave up while its code is hashed', async () => {
  const { slots, receive, sentOf, taken } = connect();
  await taken();
  receive(run, code);
  receive({ type: 'give back', id: 1 });
  expect(slots[0]?.isReturned).toBe(true);
  await taken();
  receive(run, code);
  slots[0]?.end();
  slots[1]?.end();
  await expect.poll(() => sentOf('result')).toBe(1);
});

test('accepts empty code that it asked for and that has the CID', async () => {
  const { slots, receive, sentOf, taken } = connect();
  const empty = { ...run, cid: await cidOf('') };
  await taken();
  receive(empty);
  expect(sentOf('code missing')).toBe(1);
  receive(empty);
  slots[0]?.end();
  await expect.poll(() => sentOf('result')).toBe(1);
});
