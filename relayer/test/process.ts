/** The relayer as a process of its own, which a test may kill. */
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from '@latchkey/testing/services';

export const root = join(import.meta.dirname, '../..');

export type RelayerProcess = ServiceProcess;

/** Resolves when it answers; rejects with its output when it ends before. */
export async function startRelayerProcess(settings: Record<string, string>): Promise<RelayerProcess> {
  const relayer = await spawnService('relayer', {
    INDEXER_URL: 'http://127.0.0.1:9',
    ROOT_SECRET_PASSPHRASE: 'test',
    RUNTIME_POOL_SIZE: '1',
    ...settings,
  });
  await relayer.ready();
  return relayer;
}
