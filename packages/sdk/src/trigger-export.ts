/** The triggers of an account, for a copy in a file. */
import type { BareTriggersClient } from './bare-triggers-client.ts';
import type { CallOptions } from './deadline.ts';
import { listTriggers, type Trigger } from './triggers.ts';

const FIELDS = [
  'id',
  'name',
  'kind',
  'code',
  'cid',
  'defaultParams',
  'maxRunsPerMinute',
  'maxQueuedRuns',
  'maxConcurrentRuns',
  'throttlePerMinute',
  'concurrencyKey',
  'debounceSeconds',
  'holdWhenPaused',
  'pauseAfterFailures',
  'config',
  'enabled',
] as const satisfies (keyof Trigger)[];

/** The fields that a trigger was created with, without its usage key and the secrets of its configuration. All of it is JSON. */
export type ExportedTrigger = Pick<Trigger, (typeof FIELDS)[number]>;

const exported = (trigger: Trigger): ExportedTrigger =>
  Object.fromEntries(FIELDS.map((name) => [name, trigger[name]])) as ExportedTrigger;

/** Returns all triggers of the account, oldest first. A trigger that is created or deleted meanwhile can be missing. */
export async function exportTriggers(
  client: BareTriggersClient,
  options?: CallOptions,
): Promise<ExportedTrigger[]> {
  const found = new Map<string, ExportedTrigger>();
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { items, nextPage } = await listTriggers(client, { offset }, options);
    for (const trigger of items) found.set(trigger.id, exported(trigger));
    offset = nextPage?.offset;
  }
  return [...found.values()].reverse();
}
