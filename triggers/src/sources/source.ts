import type { Context } from '../context.ts';
import type { triggers } from '../db/schema.ts';

export type Trigger = typeof triggers.$inferSelect;
/** The `config` of a trigger as it is stored: secrets in it are sealed for the trigger's id. */
export type StoredConfig = Trigger['config'];

/** What a kind of trigger knows of its `config`. */
export type Source = {
  /** The stored form of what a client sent; throws an HttpError (400 or 422) that says what makes no sense. */
  accept: (
    wire: unknown,
    trigger: Pick<Trigger, 'id'>,
    context: Pick<Context, 'sealer' | 'config'>,
  ) => Promise<StoredConfig>;
  /** With `anew` of each of its sealed texts, where it holds some. */
  reseal?: (stored: StoredConfig, anew: (sealed: string) => string) => StoredConfig;
  /** As the API shows it, without secrets. */
  show: (stored: StoredConfig) => Record<string, unknown>;
  /** Columns that follow from it when the trigger is made, changed or enabled. `due` is a slot that it has waited for so far. */
  columns?: (stored: StoredConfig, now: Date, due?: Date | null) => Partial<Pick<Trigger, 'nextSlotAt'>>;
  /** Further fields of the trigger's record: `webhook_url`, `next_runs`. */
  fields?: (trigger: Trigger, context: Pick<Context, 'publicUrl'>) => Record<string, unknown>;
};
