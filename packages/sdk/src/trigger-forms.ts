/** Forms for triggers: the slots of a schedule, and the senders of webhooks. */
import type { BareTriggersClient } from './bare-triggers-client.ts';
import type { CallOptions } from './deadline.ts';
import type { ScheduleConfig } from './triggers.ts';
import { send } from './triggers-request.ts';

/** A sender of webhooks, for `verification` of a trigger's configuration. */
export interface WebhookSender {
  /** `verification.scheme`. */
  scheme: string;
  /** Field of `verification` with the key. */
  keyField: string;
  /** Other fields that `verification` must have. */
  requiredFields: string[];
}

/** Returns the next five slots of a schedule. Rejects with 400 for a schedule that a trigger cannot have. */
export async function previewSchedule(
  client: BareTriggersClient,
  { config }: { config: ScheduleConfig },
  options?: CallOptions,
): Promise<Date[]> {
  const { next_runs: slots } = await send<{ next_runs: string[] }>(client, 'POST', 'preview_schedule', {
    body: { config },
    options,
  });
  return slots.map((slot) => new Date(slot));
}

/** Lists the senders whose signatures the trigger service verifies, sorted by their schemes. */
export async function listWebhookSenders(
  client: BareTriggersClient,
  options?: CallOptions,
): Promise<WebhookSender[]> {
  const { senders } = await send<{
    senders: { scheme: string; key_field: string; required_fields: string[] }[];
  }>(client, 'GET', 'senders', { options });
  return senders.map(({ scheme, key_field: keyField, required_fields: requiredFields }) => ({
    scheme,
    keyField,
    requiredFields,
  }));
}
