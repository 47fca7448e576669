/** Starts the service with webhook triggers and records the parameters of their actions. */
import type { Sealer } from '@latchkey/service/sealer';
import { runs, type triggers } from '../src/db/schema.ts';
import { webhook } from '../src/sources/webhook.ts';
import { addTrigger, addUser } from './fixtures.ts';
import { startService } from './service.ts';

export type Params = Record<string, unknown> & { headers?: Record<string, string[]> };
export type NewTrigger = Partial<Omit<typeof triggers.$inferInsert, 'config' | 'id'>> & {
  id: string;
  config?: (sealer: Sealer) => Promise<Record<string, unknown>> | Record<string, unknown>;
};
/** An active webhook with this config. */
export const configured = (id: string, wire: object): NewTrigger => ({
  id,
  config: (sealer) => webhook.accept(wire, { id }, { sealer } as never),
});

/** Starts the service with these triggers of one user. */
export async function startWebhooks(made: readonly NewTrigger[], settings: Record<string, string> = {}) {
  const { url, relayer, context, db, postRaw, dispose } = await startService(settings);
  const { sealer } = context;
  const userId = await addUser(db);
  for (const { config, ...fields } of made)
    await addTrigger(db, userId, {
      usageApiKey: sealer.seal('a usage key', fields.id),
      config: (await config?.(sealer)) ?? {},
      ...fields,
    });
  const ran = (): Params[] => relayer.requests.map(({ body }) => body.js_params as Params);
  return {
    url,
    /** `path` is the id of a trigger, with or without a query. */
    post: (path: string, body: Uint8Array | string, lines?: readonly string[]) =>
      postRaw(`/webhook/${path}`, body, lines),
    ran,
    /** Returns the parameters of the run whose delivery had this `X-Request-Id`. */
    ranFor: (requestId: string) => ran().find(({ headers }) => headers?.['x-request-id']?.[0] === requestId),
    /** Stops the service. Resolves to the stored runs. */
    async stop() {
      const stored = await db.select({ triggerId: runs.triggerId, status: runs.status }).from(runs);
      await dispose();
      return stored;
    },
  };
}
