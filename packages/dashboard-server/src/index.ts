/** Serves the built dashboard: its files, their compressed copies, and `config.json`. */
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type Listening, listen } from '@latchkey/http/listen';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { DashboardOptions } from './config.ts';
import { headersFor } from './headers.ts';

export { loadConfig } from './config.ts';
export type { DashboardConfig } from './headers.ts';

/** The compressed copies that the build puts beside the files, by what the browser accepts. */
const COPIES = { br: '.br', gzip: '.gz' } as const;

/** Sends the compressed copy of a file, and that of the page for every path without a file. */
const preferCopies =
  (directory: string): RequestHandler =>
  (req, res, next) => {
    const encoding = req.acceptsEncodings('br', 'gzip') as keyof typeof COPIES | false;
    const path = extname(req.path) === '' ? '/index.html' : req.path;
    res.vary('Accept-Encoding');
    const copy = encoding && /^\/(assets\/)?[\w.-]+$/.test(path) && `${path}${COPIES[encoding]}`;
    if (encoding && copy && existsSync(join(directory, copy))) {
      res.type(extname(path)).set('Content-Encoding', encoding);
      req.url = copy;
    }
    next();
  };

/** Express would show the stack of an error, and log what every stranger can cause. */
const refuse: ErrorRequestHandler = (error: { status?: number }, _req, res, _next) =>
  void res.sendStatus(error.status ?? 500);

/** Resolves when the dashboard is served. Rejects when it is not built, or the port is not available. */
export async function serveDashboard({
  directory,
  dashboard,
  host,
  port,
}: DashboardOptions): Promise<Listening> {
  const page = join(directory, 'index.html');
  if (!existsSync(page)) throw new Error(`${page} is missing: run npm run build -w dashboard`);
  const app = express().disable('x-powered-by');
  const headers = headersFor(dashboard);
  app.use((_req, res, next) => {
    res.set(headers);
    next();
  });
  app.use(preferCopies(directory));
  // The names of these files change with their content.
  app.use(
    '/assets',
    express.static(join(directory, 'assets'), { immutable: true, maxAge: '1y', fallthrough: false }),
  );
  app.use((_req, res, next) => {
    res.set('Cache-Control', 'no-cache');
    next();
  });
  app.get('/config.json', (_req, res) => void res.json(dashboard));
  app.use(express.static(directory, { cacheControl: false }));
  app.get('/{*path}', (_req, res) => res.sendFile(page, { cacheControl: false }));
  app.use(refuse);
  return listen(app, port, host);
}
