/** The relayer as a separate process that a test can kill. */
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from '@latchkey/testing/services';

export const root = join(import.meta.dirname, '../..');

export type RelayerProcess = ServiceProcess;

/** Starts a relayer. Resolves when it responds; rejects with its output when it exits before. */
export async function startRelayerProcess(settings: Record<string, string>): Promise<RelayerProcess> {
  const relayer = await spawnService('relayer', {
    INDEXER_URLS: 'http://127.0.0.1:9',
    ROOT_SECRET_PASSPHRASE: 'test',
    ...settings,
  });
  await relayer.ready();
  return relayer;
}
