import { type Listening, listen } from '@latchkey/http';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { openContext } from './context.ts';

export { type Config, loadConfig } from './config.ts';

export type Triggers = {
  /** `http://host:port`. */
  url: string;
  /** Lets open requests end, gives back the runs under way. */
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** Starts the service; resolves when it answers requests, rejects when a part cannot be had. */
export async function startTriggers(config: Config): Promise<Triggers> {
  const { context, close: closeContext, listensAt } = await openContext(config);
  let http: Listening;
  try {
    http = await listen(createApp(context), config.port, config.host);
  } catch (error) {
    await closeContext();
    throw error;
  }
  listensAt(http.url);
  context.log.info({ url: http.url }, 'ready');
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= http.close().then(closeContext);
    return closing;
  };
  return { url: http.url, close, [Symbol.asyncDispose]: close };
}
