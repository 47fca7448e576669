import type { Express } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { listen } from './listen.ts';
import { metricsApp } from './metrics.ts';
import type { HttpConfig } from './settings.ts';

export type Served = {
  /** `http://host:port`. */
  url: string;
  /** Where `/metrics` is served. */
  metricsUrl: string;
  /** Lets open requests end, then closes the resources. */
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/**
 * The resources that a service opens before it listens; `resources` closes them in reverse order. `drain` is called when
 * the service stops, while open requests end; it resolves when no work is left, at the latest after `timeoutMs`.
 */
export type Opened<Context> = {
  context: Context;
  resources: AsyncDisposable;
  drain?: { timeoutMs: number; finish: (timeoutMs: number) => Promise<void> };
};

/** Time for open requests to end, and after `drain` for its last replies. */
const REQUESTS_DEADLINE_MS = 30_000;

/** Serves a service's application, and its metrics on another port. Closes the resources on failure. */
export async function serve<Context extends { log: Logger; metrics: Registry }>(
  { context, resources, drain }: Opened<Context>,
  createApp: (context: Context) => Express,
  { host, port, metrics, connections }: Pick<HttpConfig, 'host' | 'port' | 'metrics' | 'connections'>,
  onListening: (url: string) => void = () => {},
): Promise<Served> {
  await using opened = new AsyncDisposableStack();
  opened.use(resources);
  const metricsServer = opened.use(await listen(metricsApp(context.metrics), metrics.port, metrics.host));
  const server = opened.use(await listen(createApp(context), port, host, connections));
  onListening(server.url);
  const all = opened.move();
  context.log.info({ url: server.url, metrics: metricsServer.url }, 'ready');
  const drainMs = drain?.timeoutMs ?? 0;
  const stop = async (): Promise<void> => {
    context.log.info({ timeout_sec: drainMs / 1_000 }, 'stopping: open requests can end');
    try {
      await Promise.all([server.close(drainMs + REQUESTS_DEADLINE_MS), drain?.finish(drainMs)]);
    } finally {
      await all
        .disposeAsync()
        .catch((err: unknown) => context.log.error({ err }, 'failed to close a part of the service'));
    }
  };
  // A second call waits for the same end.
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= stop();
    return closing;
  };
  return { url: server.url, metricsUrl: `${metricsServer.url}/metrics`, close, [Symbol.asyncDispose]: close };
}
