/** The webhook route on a database, without the parts of the service that send statements in the background. */
import { listen, mount } from '@latchkey/http';
import { createLogger } from '@latchkey/service/logger';
import { loadConfig } from '../src/config.ts';
import { openDatabase } from '../src/db/database.ts';
import { createLimits } from '../src/limits.ts';
import { apiInfo } from '../src/openapi.ts';
import { mapError } from '../src/routes/map-error.ts';
import { webhook } from '../src/routes/webhook.ts';
import { createAcceptor } from '../src/runs/accept.ts';
import { createRunEnds } from '../src/runs/run-ends.ts';
import { createWebhookTriggers } from '../src/sources/webhook-triggers.ts';
import { settingsFor } from './database.ts';
import { sealer } from './fixtures.ts';

const many = '1000000';

export async function startWebhookReplica(databaseUrl: string) {
  const config = loadConfig({
    ...settingsFor({ url: databaseUrl }),
    WEBHOOKS_PER_MINUTE_PER_ADDRESS: many,
    WEBHOOKS_PER_MINUTE_PER_ACCOUNT: many,
  });
  const { db, close } = await openDatabase(config.secrets.database);
  const log = createLogger({ name: 'test', level: 'silent' });
  const runEnds = createRunEnds({ db, log });
  const http = await listen(
    mount({
      routes: [webhook],
      context: {
        db,
        worker: {},
        limits: createLimits(config),
        publicUrl: () => 'http://127.0.0.1',
        sealer,
        webhookTriggers: createWebhookTriggers(db),
        acceptDelivery: createAcceptor({ db, worker: { wake: () => {} } }),
        runEnds,
      },
      authenticators: {},
      log,
      prefix: '/api',
      api: apiInfo,
      mapError,
    }),
    0,
  );
  return {
    /** Resolves to the status of the reply. */
    async deliver(id: string, body: string, headers: Record<string, string> = {}): Promise<number> {
      const response = await fetch(`${http.url}/webhook/${id}`, { method: 'POST', headers, body });
      await response.text();
      return response.status;
    },
    async [Symbol.asyncDispose]() {
      await http.close();
      await runEnds[Symbol.asyncDispose]();
      await close();
    },
  };
}
