import { networkInterfaces } from 'node:os';
import { createLogger } from '@latchkey/service/logger';
import express from 'express';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { DEFAULT_CONNECTION_LIMITS } from './connections.ts';
import { serve } from './serve.ts';

const publicAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test.skipIf(publicAddress === undefined)(
  'serves /metrics on its own address, not on the address of the service',
  async () => {
    const context = { log: createLogger({ name: 'test', level: 'silent' }), metrics: new Registry() };
    const app = express().use((_req, res) => void res.send('ready'));
    const metrics = { host: '127.0.0.1', port: 0 };
    const settings = { host: '0.0.0.0', port: 0, metrics, connections: DEFAULT_CONNECTION_LIMITS };
    const resources = new AsyncDisposableStack();
    await using service = await serve({ context, resources }, () => app, settings);
    const from = (host: string, url: string) => fetch(Object.assign(new URL(url), { hostname: host }));
    expect((await from('127.0.0.1', service.metricsUrl)).status).toBe(200);
    expect((await from(String(publicAddress), service.url)).status).toBe(200);
    await expect(from(String(publicAddress), service.metricsUrl)).rejects.toThrow('fetch failed');
  },
);
