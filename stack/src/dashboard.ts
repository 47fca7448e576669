/** The dashboard of the local stack: built when its sources have changed, and served as static files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import express, { type RequestHandler } from 'express';
import { root } from './root.ts';

/** The `config.json` of the dashboard. */
export type DashboardConfig = {
  relayerUrl: string;
  triggersUrl: string;
  indexerUrl?: string;
  rpcUrl?: string;
  contractAddress?: string;
  stripeJsUrl?: string;
};

const HOST = '127.0.0.1';
const directory = join(root, 'dashboard');
const distDir = join(directory, 'dist');
/** Relative to the directory of the dashboard. */
const sources = [
  'src',
  'public',
  'index.html',
  'action-environment.ts',
  'vite.config.ts',
  'package.json',
  '../actions',
  '../packages/action/types',
  '../packages/policy/src',
  '../packages/sdk/src',
  '../packages/protocol/src',
];

function newest(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const isCurrent = (): boolean => {
  const built = join(distDir, 'index.html');
  return (
    existsSync(built) && newest(built) > Math.max(...sources.map((source) => newest(join(directory, source))))
  );
};

/** Builds the dashboard atomically, because stacks can start together. Rejects with the output of a failed build. */
export async function buildDashboard(signal?: AbortSignal): Promise<void> {
  if (isCurrent()) return;
  const [built, old] = ['new', 'old'].map((name) => `${distDir}-${name}-${process.pid}`) as [string, string];
  try {
    await runVite(built, signal);
    if (isCurrent()) return;
    await rename(distDir, old).catch(() => {});
    await rename(built, distDir);
  } finally {
    await Promise.all([built, old].map((path) => rm(path, { recursive: true, force: true })));
  }
}

async function runVite(outDir: string, signal: AbortSignal | undefined): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const options = ['--logLevel', 'warn', '--outDir', outDir, '--emptyOutDir'];
  // Tests set it to `test`, for which Vite builds what is meant for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, [vite, 'build', directory, ...options], { signal, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The dashboard was not built.\n${output}`);
}

/** docs.stripe.com/security/guide#content-security-policy */
const STRIPE = {
  script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connect: ['https://api.stripe.com'],
};

/** The Content-Security-Policy of the dashboard: its own files, the services of the configuration, and Stripe. */
function contentSecurityPolicy({
  relayerUrl,
  triggersUrl,
  indexerUrl,
  rpcUrl,
  stripeJsUrl,
}: DashboardConfig): string {
  const services = [relayerUrl, triggersUrl, indexerUrl, rpcUrl]
    .filter((url) => url !== undefined)
    .map((url) => new URL(url).origin);
  const own = stripeJsUrl === undefined ? undefined : [new URL(stripeJsUrl).origin];
  const stripe = own === undefined ? STRIPE : { script: own, frame: own, connect: own };
  return [
    "default-src 'none'",
    `script-src 'self' ${stripe.script.join(' ')}`,
    // The components set their sizes in style attributes.
    "style-src 'self' 'unsafe-inline'",
    // Wallets announce their icons as data URLs.
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${[...services, ...stripe.connect].join(' ')}`,
    `frame-src ${stripe.frame.join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The compressed copies that the build puts beside the files, by what the browser accepts. */
const COPIES = { br: '.br', gzip: '.gz' } as const;

/** Sends the compressed copy of a file, and that of the page for every path without a file. */
const preferCopies: RequestHandler = (req, res, next) => {
  const encoding = req.acceptsEncodings('br', 'gzip') as keyof typeof COPIES | false;
  const path = extname(req.path) === '' ? '/index.html' : req.path;
  res.vary('Accept-Encoding');
  const copy = encoding && /^\/(assets\/)?[\w.-]+$/.test(path) && `${path}${COPIES[encoding]}`;
  if (encoding && copy && existsSync(join(distDir, copy))) {
    res.type(extname(path)).set('Content-Encoding', encoding);
    req.url = copy;
  }
  next();
};

/** Serves the built dashboard on a port of this machine. */
export async function serveDashboard(config: DashboardConfig, port: number) {
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
  app.use(preferCopies);
  // The names of these files change with their content.
  app.use(
    '/assets',
    express.static(join(distDir, 'assets'), { immutable: true, maxAge: '1y', fallthrough: false }),
  );
  app.use(express.static(distDir, { cacheControl: false }));
  app.get('/{*path}', (_req, res) => res.sendFile(join(distDir, 'index.html'), { cacheControl: false }));
  const server = createServer(app).listen(port, HOST);
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://${HOST}:${port}`, close, [Symbol.asyncDispose]: close };
}
