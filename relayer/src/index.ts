import { type Served, serve } from '@latchkey/http';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { openContext } from './context.ts';
import { whenChainAnswers } from './waiting.ts';

export { type Config, loadConfig, takeConfig } from './config.ts';

export type Relayer = Served;

/** Starts the relayer. Resolves when it accepts requests; rejects when a part fails to start. Waits for the chain. */
export async function startRelayer(config: Config): Promise<Relayer> {
  return serve(await whenChainAnswers(config, () => openContext(config)), createApp, config);
}
