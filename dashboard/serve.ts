/** Serves the built dashboard: static files, `config.json`, and one page for all paths. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import type { Config } from './src/config.ts';

export type { Config } from './src/config.ts';

/** Directory of the built files. */
export const distDir = join(import.meta.dirname, 'dist');

const STRIPE = ['https://js.stripe.com', 'https://hooks.stripe.com'];

/** The Content-Security-Policy of the dashboard: its own files, the services of the configuration, and Stripe. */
export function contentSecurityPolicy({
  relayerUrl,
  triggersUrl,
  indexerUrl,
  rpcUrl,
  stripeJsUrl,
}: Config): string {
  const services = [relayerUrl, triggersUrl, indexerUrl, rpcUrl].filter((url) => url !== undefined);
  const stripe = stripeJsUrl === undefined ? STRIPE : [new URL(stripeJsUrl).origin];
  return [
    "default-src 'none'",
    `script-src 'self' ${stripe.join(' ')}`,
    // The components set their sizes in style attributes.
    "style-src 'self' 'unsafe-inline'",
    // Wallets announce their icons as data URLs.
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${[...services, ...stripe].map((url) => new URL(url).origin).join(' ')}`,
    `frame-src ${stripe.join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Serves the dashboard on this address. Throws when it is not built. */
export async function serveDashboard(config: Config, { port = 0, host = '127.0.0.1' } = {}) {
  if (!existsSync(join(distDir, 'index.html')))
    throw new Error('The dashboard is not built. Run: npm run build -w dashboard');
  const app = express().disable('x-powered-by');
  app.use((_req, res, next) => {
    res.set({
      'Content-Security-Policy': contentSecurityPolicy(config),
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Cache-Control': 'no-cache',
    });
    next();
  });
  app.get('/config.json', (_req, res) => void res.json(config));
  // The names of these files change with their content.
  app.use(
    '/assets',
    express.static(join(distDir, 'assets'), { immutable: true, maxAge: '1y', fallthrough: false }),
  );
  app.use(express.static(distDir, { cacheControl: false }));
  app.get('/{*path}', (_req, res) => res.sendFile(join(distDir, 'index.html'), { cacheControl: false }));
  const server = createServer(app).listen(port, host);
  await once(server, 'listening');
  const { port: actual } = server.address() as { port: number };
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://${host}:${actual}`, close, [Symbol.asyncDispose]: close };
}
