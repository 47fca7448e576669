// Forked process: an Express server that replies with the bytes that it receives as a message; answers with its port.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { answer } from '@latchkey/testing/forked';
import express from 'express';

answer(async ({ body }: { body: string }): Promise<number> => {
  const app = express();
  // Off as in the relayer: Express would hash the body for every reply.
  app.disable('etag');
  const bytes = Buffer.from(body);
  app.get('/', (_req, res) => void res.type('application/json').send(bytes));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
});
