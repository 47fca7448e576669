/** The service with triggers that POSTs fire, and what their actions get. */

import type { Sealer } from '@latchkey/service/sealer';
import { runs, type triggers } from '../src/db/schema.ts';
import { addTrigger, addUser } from './fixtures.ts';
import { startService } from './service.ts';

export type Params = Record<string, unknown> & { headers?: Record<string, string[]> };
export type NewTrigger = Partial<Omit<typeof triggers.$inferInsert, 'config' | 'id'>> & {
  id: string;
  config?: (sealer: Sealer) => Promise<Record<string, unknown>> | Record<string, unknown>;
};
export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;

/** Starts with these triggers of one user. */
export async function startWebhooks(made: readonly NewTrigger[], settings: Record<string, string> = {}) {
  const { core, context, db, postRaw, dispose } = await startService(settings);
  const { sealer } = context;
  const userId = await addUser(db);
  for (const { config, ...fields } of made)
    await addTrigger(db, userId, {
      usageApiKey: sealer.seal('a usage key', fields.id),
      config: (await config?.(sealer)) ?? {},
      ...fields,
    });
  const ran = (): Params[] => core.requests.map(({ body }) => body.js_params as Params);
  return {
    post: (id: string, body: Uint8Array | string, lines?: readonly string[]) =>
      postRaw(`/webhook/${id}`, body, lines),
    ran,
    /** What the action of the run got whose request carried this id in `X-Request-Id`. */
    ranFor: (requestId: string) => ran().find(({ headers }) => headers?.['x-request-id']?.[0] === requestId),
    /** Ends the service; resolves to the runs that it has stored. */
    async stop() {
      const stored = await db.select({ triggerId: runs.triggerId, status: runs.status }).from(runs);
      await dispose();
      return stored;
    },
  };
}
