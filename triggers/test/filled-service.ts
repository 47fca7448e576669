/** The service in its own process, on a database filled before the start. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { spawnService } from '@latchkey/testing/services';
import { loadConfig } from '../src/config.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { addTrigger, usageKey } from './fixtures.ts';

const key = randomBytes(32);
const sealer = createSealer([sealingKey(key)]);

/** A line of the log from the level error, or other text. */
const isProblem = /"level":(50|60)\b|^[^{]/;

/** Adds a trigger whose usage key the service can decrypt. */
export const addOpenable: typeof addTrigger = (db, userId, { id = randomUUID(), ...fields } = {}) =>
  addTrigger(db, userId, { id, usageApiKey: sealer.seal(usageKey, id), ...fields });

export async function startFilledService<Filled>(
  settings: Record<string, string>,
  fill: (db: Database) => Promise<Filled>,
) {
  const all = { LOG_LEVEL: 'error', ...settings, SEALING_KEYS: key.toString('base64') };
  const { db, close } = await openDatabase(loadConfig(all).secrets.database);
  const filled = await fill(db).finally(close);
  const service = await spawnService('triggers', all);
  await service.ready();
  return {
    url: service.url,
    metricsUrl: service.metricsUrl,
    filled,
    async [Symbol.asyncDispose]() {
      await service.stop('SIGTERM');
      for (const line of service.output().split('\n')) if (isProblem.test(line)) console.error(line);
    },
  };
}
