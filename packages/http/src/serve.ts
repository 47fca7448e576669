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

/** The resources that a service opens before it listens; `resources` closes them in reverse order. */
export type Opened<Context> = { context: Context; resources: AsyncDisposable };

/** Serves a service's application, and its metrics on another port. Closes the resources on failure. */
export async function serve<Context extends { log: Logger; metrics: Registry }>(
  { context, resources }: Opened<Context>,
  createApp: (context: Context) => Express,
  { host, port, metrics }: Pick<HttpConfig, 'host' | 'port' | 'metrics'>,
  onListening: (url: string) => void = () => {},
): Promise<Served> {
  await using opened = new AsyncDisposableStack();
  opened.use(resources);
  const metricsServer = opened.use(await listen(metricsApp(context.metrics), metrics.port, metrics.host));
  const server = opened.use(await listen(createApp(context), port, host));
  onListening(server.url);
  const all = opened.move();
  context.log.info({ url: server.url, metrics: metricsServer.url }, 'ready');
  // A second call waits for the same end.
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= all.disposeAsync();
    return closing;
  };
  return { url: server.url, metricsUrl: `${metricsServer.url}/metrics`, close, [Symbol.asyncDispose]: close };
}
