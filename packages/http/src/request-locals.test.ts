import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { Locals } from './request-locals.ts';

/** Returns the locals of a request, its reply and its client. */
async function receive() {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = get({ port: (server.address() as AddressInfo).port, agent: false });
  client.on('error', () => {});
  const [req, res] = (await once(server, 'request')) as [Request, ServerResponse];
  return { locals: new Locals(req, res as Response, pino({ level: 'silent' })), res, client };
}

test.each(['before', 'after'])('a signal that is read %s the disconnect is aborted', async (when) => {
  const { locals, res, client } = await receive();
  const signal = when === 'before' ? locals.signal : undefined;
  client.destroy();
  await once(res, 'close');
  expect((signal ?? locals.signal).aborted).toBe(true);
  expect(locals.signal).toBe(signal ?? locals.signal);
});

test.each(['before', 'after'])('a signal that is read %s the reply is not aborted', async (when) => {
  const { locals, res, client } = await receive();
  const signal = when === 'before' ? locals.signal : undefined;
  client.on('response', (reply) => reply.resume());
  res.end('done');
  await once(res, 'close');
  expect((signal ?? locals.signal).aborted).toBe(false);
});
