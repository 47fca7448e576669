import { type Served, serve } from '@latchkey/http';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { openContext } from './context.ts';

export { type Config, loadConfig, takeConfig } from './config.ts';

export type KeyNode = Served;

/** Starts the node. Resolves when it answers requests, rejects when a part fails to start. */
export async function startKeyNode(config: Config): Promise<KeyNode> {
  return serve(await openContext(config), createApp, config);
}
