/** The triggers of an account, for a copy in a file. */
import type { BareTriggersClient } from './bare-triggers-client.ts';
import type { CallOptions } from './deadline.ts';
import { listTriggers, type Trigger } from './triggers.ts';

/** The fields that a trigger was created with, without its usage key and the secrets of its configuration. All of it is JSON. */
export type ExportedTrigger = Pick<
  Trigger,
  | 'id'
  | 'name'
  | 'kind'
  | 'code'
  | 'cid'
  | 'defaultParams'
  | 'maxRunsPerMinute'
  | 'maxQueuedRuns'
  | 'maxConcurrentRuns'
  | 'throttlePerMinute'
  | 'concurrencyKey'
  | 'debounceSeconds'
  | 'holdWhenPaused'
  | 'pauseAfterFailures'
  | 'config'
  | 'enabled'
>;

const fields: Record<keyof ExportedTrigger, true> = {
  id: true,
  name: true,
  kind: true,
  code: true,
  cid: true,
  defaultParams: true,
  maxRunsPerMinute: true,
  maxQueuedRuns: true,
  maxConcurrentRuns: true,
  throttlePerMinute: true,
  concurrencyKey: true,
  debounceSeconds: true,
  holdWhenPaused: true,
  pauseAfterFailures: true,
  config: true,
  enabled: true,
};

const exported = (trigger: Trigger): ExportedTrigger =>
  Object.fromEntries(
    Object.entries(trigger).filter(([name]) => Object.hasOwn(fields, name)),
  ) as ExportedTrigger;

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
