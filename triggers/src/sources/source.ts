import type { Sealer } from '@latchkey/service/sealer';
import type { z } from 'zod';
import type { RpcUrls } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { triggers } from '../db/schema.ts';

export type Trigger = typeof triggers.$inferSelect;
/** Stored form of a trigger's `config`. Its secrets are sealed, with the trigger's id as context. */
export type StoredConfig = Trigger['config'];

/** `before` is the config that was stored for the same kind, `wire` the one of the request. */
type Change = { wire: unknown; before: StoredConfig | undefined; isResumed: boolean };

export type AcceptConfigOptions = {
  sealer: Pick<Sealer, 'seal'>;
  /** RPC URLs of the chains that this deployment follows. */
  rpcUrls: RpcUrls;
};

/** Implementation of one kind of trigger. */
export type Source = {
  /** Schema of a config in requests. `accept` checks further rules. */
  config: z.ZodType;
  /**
   * Validates a config from a request and returns its stored form. `before` is the config that it replaces. Rejects with 400, 422
   * or 503.
   */
  accept: (
    wire: unknown,
    trigger: Pick<Trigger, 'id'> & { before?: StoredConfig | undefined },
    options: AcceptConfigOptions,
  ) => Promise<StoredConfig>;
  /** Applies `reseal` to each sealed text of the config. */
  reseal?: (stored: StoredConfig, reseal: (sealed: string) => string) => StoredConfig;
  /** Returns the config for API replies, without secrets. */
  show: (stored: StoredConfig) => Record<string, unknown>;
  /**
   * Decides where a trigger continues that is created, configured or resumed. Resolves to the function that stores it, which is
   * called in the transaction that stores the trigger and returns further fields of the reply. Rejects with 503.
   */
  place?: (
    trigger: Pick<Trigger, 'id' | 'config'>,
    change: Change,
    options: AcceptConfigOptions,
  ) => Promise<((tx: Database) => Promise<Record<string, unknown>>) | undefined>;
  /** Derives columns when a trigger is created, reconfigured or enabled. `due` is the slot that it waited for before. */
  columns?: (stored: StoredConfig, now: Date, due?: Date | null) => Partial<Pick<Trigger, 'nextSlotAt'>>;
  /** Returns the additional fields of the trigger's record: `webhook_url` or `next_runs`. */
  fields?: (trigger: Trigger, options: { publicUrl: () => string }) => Record<string, unknown>;
};
