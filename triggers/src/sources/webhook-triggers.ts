/** Webhook triggers that deliveries have read, kept so that an accepted delivery costs no read. */
import { batch } from '@latchkey/service/batch';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database } from '../db/database.ts';
import { triggers } from '../db/schema.ts';
import { laterVersion } from '../db/version.ts';
import type { StoredConfig, Trigger } from './source.ts';

/** Kept triggers. A config can have 20 KB. */
const MAX_KEPT = 2_000;

/** Columns that a delivery reads. The action code is left out because it can be large. */
const columns = {
  id: triggers.id,
  userId: triggers.userId,
  kind: triggers.kind,
  enabled: triggers.enabled,
  holdWhenPaused: triggers.holdWhenPaused,
  concurrencyKey: triggers.concurrencyKey,
  config: triggers.config,
  updatedAt: triggers.updatedAt,
};

export type WebhookTrigger = Pick<Trigger, keyof typeof columns>;

export type WebhookTriggers = {
  /**
   * Returns the trigger as it was read last. It can have been changed or deleted since, also by another process: only a statement
   * that compares `updatedAt` confirms it.
   */
  kept: (id: string) => WebhookTrigger | undefined;
  /** Reads the trigger and keeps it. Concurrent reads share a statement. Resolves to undefined when there is none. */
  read: (id: string) => Promise<WebhookTrigger | undefined>;
  /** Stores the config of a trigger. Resolves to false when the trigger is not the one that was read. */
  replaceConfig: (trigger: WebhookTrigger, config: StoredConfig) => Promise<boolean>;
};

/** Ids are in lower case. */
export function createWebhookTriggers(db: Database): WebhookTriggers {
  const kept = new LRUCache<string, WebhookTrigger>({ max: MAX_KEPT });
  const readGrouped = batch(async (ids: string[]): Promise<(WebhookTrigger | undefined)[]> => {
    const found = await db
      .select(columns)
      .from(triggers)
      .where(inArray(triggers.id, [...new Set(ids)]));
    const byId = new Map(found.map((trigger) => [trigger.id, trigger]));
    return ids.map((id) => byId.get(id));
  });
  return {
    kept: (id) => kept.get(id),
    async read(id) {
      const trigger = await readGrouped(id);
      if (trigger) kept.set(id, trigger);
      else kept.delete(id);
      return trigger;
    },
    async replaceConfig({ id, updatedAt }, config) {
      const changed = await db
        .update(triggers)
        .set({ config, updatedAt: laterVersion })
        .where(
          and(
            eq(triggers.id, id),
            eq(sql`date_trunc('milliseconds', ${triggers.updatedAt})`, updatedAt.toISOString()),
          ),
        )
        .returning({ id: triggers.id });
      return changed.length > 0;
    },
  };
}
