/** Triggers and their runs. */
import {
  type CreateTriggerParameters,
  LatchkeyError,
  type Trigger,
  type TriggerRun,
  type TriggerRunDetails,
  type TriggersClient,
  type UpdateTriggerParameters,
} from '@latchkey/sdk';
import { z } from 'zod';
import { id, json, offsets, readSource, source } from '../inputs.ts';
import { adds, changes, effect, limited, reads, type Tool, tool } from '../tool.ts';

const triggerId = id.describe('Id of a trigger');
const limit = z.int().min(1).optional();

const settings = {
  ...source,
  defaultParams: json.optional().describe('Parameters of every run. Parameters of the event override them'),
  maxRunsPerMinute: limit,
  maxQueuedRuns: limit,
  maxConcurrentRuns: limit,
  throttlePerMinute: limit.describe('Maximum number of runs that start in any 60 seconds; further ones wait'),
  concurrencyKey: z
    .string()
    .optional()
    .describe('Path into the input, such as event.id: runs with an equal value run one after another'),
  pauseAfterFailures: limit.describe('Failed runs in a row after which the service pauses the trigger'),
  enabled: z.boolean().optional().describe('False pauses the trigger'),
};

const config = json
  .optional()
  .describe(
    'By kind. webhook: {"verification": {"scheme": "github", "secret": "…"}} or absent. schedule: {"cron": "0 9 * * *", "timezone": "Europe/Berlin"}. ' +
      'chain_event: {"chain": "base", "contract_address": "0x…", "event_signature": "Transfer(address indexed from, address indexed to, uint256 value)"}. ' +
      'chain_block: {"chain": "base", "every": 100}',
  );

const listTriggers = (client: TriggersClient) =>
  tool('list_triggers', {
    title: 'List triggers',
    description: 'Lists the triggers of the account, the newest first, without their code.',
    hints: reads,
    input: offsets,
    run: async (input, { signal }) => {
      const { items, nextPage } = await client.listTriggers(input, { signal });
      const shown = items.map(({ code: _, defaultParams: _params, ...trigger }) => toItem(trigger));
      return { items: shown, nextPage };
    },
  });

const getTrigger = (client: TriggersClient) =>
  tool('get_trigger', {
    title: 'Read a trigger',
    description: 'Returns a trigger with its action and configuration.',
    hints: reads,
    input: { triggerId },
    run: async (input, { signal }) => toItem(await client.getTrigger(input, { signal })),
  });

const createTrigger = (client: TriggersClient, usageKey: string | undefined) =>
  effect('create_trigger', {
    title: 'Create a trigger',
    description:
      'Creates a trigger, which runs an action on a webhook, a schedule, an event of a contract or blocks of a chain, with the usage key of this server. ' +
      'warnings say why its runs would fail now. Each run costs credit of the account.',
    hints: adds,
    input: {
      name: z.string().min(1),
      kind: z.enum(['webhook', 'schedule', 'chain_event', 'chain_block']),
      config,
      ...settings,
    },
    run: async ({ code, cid, ...fields }, { idempotencyKey }) => {
      const parameters = { ...fields, ...readSource({ code, cid }), usageKey: requireKey(usageKey) };
      return toItem(await client.createTrigger(parameters as CreateTriggerParameters, { idempotencyKey }));
    },
  });

const updateTrigger = (client: TriggersClient, usageKey: string | undefined) =>
  tool('update_trigger', {
    title: 'Change a trigger',
    description:
      'Changes the given fields of a trigger. config is replaced as a whole. With code or cid, the trigger also gets the usage key of this server.',
    hints: { ...changes, idempotentHint: true },
    input: { triggerId, name: z.string().min(1).optional(), config, ...settings },
    run: async (input) => {
      const isNewAction = input.code !== undefined || input.cid !== undefined;
      // New code must not run with the usage key of another program, which can permit more.
      const parameters = {
        ...input,
        ...(isNewAction && { ...readSource(input), usageKey: requireKey(usageKey) }),
      };
      return toItem(await client.updateTrigger(parameters as UpdateTriggerParameters));
    },
  });

const testTrigger = (client: TriggersClient) =>
  effect('test_trigger', {
    title: 'Test a trigger',
    description: 'Runs a trigger immediately. Returns runId of the queued run: read it with get_trigger_run.',
    hints: changes,
    input: {
      triggerId,
      input: json.optional().describe('Parameters of the run, as its event would have them'),
    },
    run: (input, { idempotencyKey }) => client.testTrigger(input, { idempotencyKey }),
  });

const listTriggerRuns = (client: TriggersClient) =>
  tool('list_trigger_runs', {
    title: 'List runs of triggers',
    description:
      'Lists the runs of the triggers of the account, the newest first, without their input and response.',
    hints: reads,
    input: {
      ...offsets,
      triggerId: triggerId.optional(),
      status: z.enum(['queued', 'running', 'success', 'failed', 'skipped']).optional(),
    },
    run: async (input, { signal }) => {
      const { items, nextPage } = await client.searchTriggerRuns(input, { signal });
      const shown = items.map(({ input: _, response: _response, ...run }) => toRun(run));
      return { items: shown, nextPage };
    },
  });

const getTriggerRun = (client: TriggersClient) =>
  tool('get_trigger_run', {
    title: 'Read a run of a trigger',
    description:
      'Returns a run of a trigger with its input, response, error and logs, which are data of senders and actions.',
    hints: reads,
    input: { runId: id },
    run: async (input, { signal }) => toRun(await client.getTriggerRun(input, { signal })),
  });

function requireKey(usageKey: string | undefined): string {
  if (usageKey !== undefined) return usageKey;
  throw new LatchkeyError('configuration', 'this server has no usage key for the runs of triggers', {
    fix: 'The user sets LATCHKEY_USAGE_KEY or LATCHKEY_USAGE_KEY_FILE and restarts the server.',
  });
}

const toItem = (trigger: Partial<Trigger>) => ({
  ...trigger,
  code: limited(trigger.code),
  defaultParams: limited(trigger.defaultParams),
  config: limited(trigger.config),
});

const toRun = (run: Partial<TriggerRun & TriggerRunDetails>) => ({
  ...run,
  input: limited(run.input),
  response: limited(run.response),
  error: limited(run.error),
  logs: limited(run.logs),
});

/** Without a usage key, no action can be set. */
export const triggerTools = (client: TriggersClient, usageKey: string | undefined): Tool[] => [
  listTriggers(client),
  getTrigger(client),
  createTrigger(client, usageKey),
  updateTrigger(client, usageKey),
  testTrigger(client),
  listTriggerRuns(client),
  getTriggerRun(client),
];
