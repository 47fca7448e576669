import { listen, metricsApp } from '@latchkey/http';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { openContext } from './context.ts';

export { type Config, loadConfig, takeConfig } from './config.ts';

export type Relayer = {
  /** `http://host:port`. */
  url: string;
  /** Where `/metrics` is served. */
  metricsUrl: string;
  /** Lets open requests end, then what they left under way. */
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** Starts the service; resolves when it answers requests, rejects when a part cannot be had. */
export async function startRelayer(config: Config): Promise<Relayer> {
  const { context, close: closeContext } = await openContext(config);
  await using opened = new AsyncDisposableStack();
  opened.defer(closeContext);
  const metrics = opened.use(
    await listen(metricsApp(context.metrics), config.metrics.port, config.metrics.host),
  );
  const http = opened.use(await listen(createApp(context), config.port, config.host));
  const resources = opened.move();
  context.log.info({ url: http.url, metrics: metrics.url, contract: context.accountConfig.address }, 'ready');

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= resources.disposeAsync();
    return closing;
  };
  return { url: http.url, metricsUrl: `${metrics.url}/metrics`, close, [Symbol.asyncDispose]: close };
}
