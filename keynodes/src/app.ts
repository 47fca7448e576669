import { mount } from '@latchkey/http';
import { protocols, serviceVersion } from '@latchkey/service/versions';
import type { Express } from 'express';
import type { Context } from './context.ts';
import { routes } from './routes/index.ts';

/** Creates the HTTP application. */
export function createApp(context: Context): Express {
  const { config, log, metrics, badPostLimit } = context;
  return mount({
    routes,
    context,
    authenticators: {},
    log,
    prefix: '/v1',
    api: {
      title: 'Key node',
      version: serviceVersion,
      description: 'Holds one share of the key of all wallets, and answers runs with its part of their keys.',
    },
    protocol: protocols.keyNode,
    bodies: config.bodies,
    trustProxy: config.trustProxy,
    badPostLimit,
    metrics,
  });
}
