import { type Listening, listen } from '@latchkey/http';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { openContext } from './context.ts';

export { type Config, loadConfig } from './config.ts';

export type Relayer = {
  /** `http://host:port`. */
  url: string;
  /** Lets open requests end, then what they left under way. */
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** Starts the service; resolves when it answers requests, rejects when a part cannot be had. */
export async function startRelayer(config: Config): Promise<Relayer> {
  const { context, close: closeContext } = await openContext(config);
  let http: Listening;
  try {
    http = await listen(createApp(context), config.port, config.host);
  } catch (error) {
    await closeContext();
    throw error;
  }
  context.log.info({ url: http.url, contract: context.accountConfig.address }, 'ready');

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= http.close().then(closeContext);
    return closing;
  };
  return { url: http.url, close, [Symbol.asyncDispose]: close };
}
