/** Triggers and their runs. */
import { safeLines } from '@latchkey/command/text';
import type {
  CreateTriggerParameters,
  Trigger,
  TriggerRun,
  TriggerRunDetails,
  TriggersClient,
} from '@latchkey/sdk';
import { compileFile, openLocal, runStreamed } from '../actions/run.ts';
import { command, showPage, type Topic } from '../command.ts';
import { CommandError } from '../errors.ts';
import { untilInterrupted } from '../interrupt.ts';
import * as options from '../options.ts';
import { oneOf, parseParameter, readJsonObject, readParameters } from '../parse.ts';
import { cents, fields, table } from '../text.ts';

const trigger = { required: true, help: 'id of the trigger' } as const;
const run = { required: true, help: 'id of the run' } as const;
const input = {
  param: {
    value: 'name=value',
    many: true,
    parse: parseParameter,
    help: 'a field of the input: JSON, or text; repeatable',
  },
  params: { value: 'file', help: 'JSON file with the input' },
} as const;

const parseStatus = oneOf('queued', 'running', 'success', 'failed', 'skipped');

function showTrigger(one: Trigger): string {
  return fields({
    trigger: one.id,
    name: one.name,
    kind: one.kind,
    enabled: one.enabled,
    paused: one.pausedReason,
    held: one.held,
    action: one.cid ?? 'code',
    'webhook url': one.webhookUrl,
    'next runs': one.nextRuns?.map((time) => time.toISOString()).join(', '),
    config: JSON.stringify(one.config),
  });
}

function showRun(one: TriggerRunDetails | TriggerRun): string {
  const head = fields({
    run: one.id,
    trigger: one.triggerName,
    status: one.status,
    created: one.createdAt,
    finished: one.finishedAt,
    price: one.costMicros === undefined ? undefined : cents(one.costMicros),
  });
  const logs = 'logs' in one && one.logs ? `\n\n${safeLines(one.logs)}` : '';
  const end = one.error
    ? (one.error.stack ?? `${one.error.name}: ${one.error.message}`)
    : JSON.stringify(one.response, null, 2);
  return `${head}${logs}${one.finishedAt ? `\n\n${end}` : ''}`;
}

/** Waits until a run has ended. */
async function waitFor(client: TriggersClient, runId: string): Promise<TriggerRunDetails> {
  for (;;) {
    const found = await client.getTriggerRun({ runId });
    if (found.finishedAt !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const exitCodeOf = (one: TriggerRun): number => (one.status === 'failed' ? 1 : 0);

export const triggers: Topic = {
  summary: 'triggers: runs on webhooks, schedules and events of chains',
  commands: {
    list: command({
      summary: 'lists the triggers, the newest first',
      options: options.offsets,
      examples: ['triggers list'],
      run: async (session, page) => (await session.triggers()).listTriggers(page),
      show: (page) =>
        showPage(page, (items) =>
          table(items, {
            TRIGGER: ({ id }) => id,
            NAME: ({ name }) => name,
            KIND: ({ kind }) => kind,
            ENABLED: ({ enabled }) => enabled,
            FAILURES: ({ consecutiveFailures }) => consecutiveFailures,
          }),
        ),
    }),
    show: command({
      summary: 'shows a trigger',
      arguments: { trigger },
      examples: ['triggers show 018f…'],
      run: async (session, { trigger }) => (await session.triggers()).getTrigger({ triggerId: trigger }),
      show: showTrigger,
    }),
    create: command({
      summary: 'creates a trigger from a JSON file; its runs use the usage key of the profile',
      arguments: {
        definition: {
          required: true,
          help: 'JSON file with name, kind, config and settings, as the SDK has them',
        },
      },
      options: {
        action: { value: 'file', help: 'file of the action (default: code or cid in the JSON file)' },
      },
      examples: ['triggers create hook.json --action sign.ts'],
      run: async (session, { definition, action }) => {
        const given = await readJsonObject(definition);
        if ('usageKey' in given)
          throw new CommandError(
            `${definition}: a usage key does not belong in a file`,
            'Remove usageKey: the key of the profile is used.',
          );
        const code = action === undefined ? {} : { code: await compileFile(action) };
        const usageKey = await session.triggersUsageKey();
        const created = await (await session.triggers()).createTrigger({
          ...given,
          ...code,
          usageKey,
        } as CreateTriggerParameters);
        for (const { message } of created.warnings) session.tell(`warning: ${message}`);
        return created;
      },
      show: showTrigger,
    }),
    enable: setEnabled(true),
    disable: setEnabled(false),
    delete: command({
      summary: 'deletes a trigger and its runs',
      arguments: { trigger },
      options: { yes: options.yes },
      examples: ['triggers delete 018f… --yes'],
      run: async (session, { trigger, yes }) => {
        if (!yes) await session.confirm(`Deletes the trigger ${trigger} and its runs.`);
        await (await session.triggers()).deleteTrigger({ triggerId: trigger });
        return { triggerId: trigger };
      },
      show: ({ triggerId }) => `deleted ${triggerId}`,
    }),
    test: command({
      summary: 'runs a trigger once, waits for the end, and prints the run; ends with 1 when it failed',
      arguments: { trigger },
      options: input,
      examples: ['triggers test 018f… --param name=you'],
      run: async (session, { trigger, param, params }) => {
        const client = await session.triggers();
        const { runId } = await client.testTrigger({
          triggerId: trigger,
          input: await readParameters(params, param),
        });
        return waitFor(client, runId);
      },
      show: showRun,
      exitCode: exitCodeOf,
    }),
    runs: command({
      summary: 'lists the runs of triggers, the newest first',
      arguments: { trigger: { help: 'only the runs of this trigger' } },
      options: {
        status: {
          value: 'status',
          parse: parseStatus,
          help: 'queued, running, success, failed or skipped',
        },
        ...options.period,
        ...options.offsets,
      },
      examples: ['triggers runs', 'triggers runs 018f… --status failed'],
      run: async (session, { trigger, ...filter }) =>
        (await session.triggers()).searchTriggerRuns({ ...filter, triggerId: trigger }),
      show: (page) =>
        showPage(page, (items) =>
          table(items, {
            RUN: ({ id }) => id,
            TRIGGER: ({ triggerName }) => triggerName,
            CREATED: ({ createdAt }) => createdAt,
            STATUS: ({ status }) => status,
            ERROR: ({ error }) => error?.name,
          }),
        ),
    }),
    run: command({
      summary: 'shows a run of a trigger with its logs',
      arguments: { run },
      examples: ['triggers run 018f…'],
      run: async (session, { run }) => (await session.triggers()).getTriggerRun({ runId: run }),
      show: showRun,
    }),
    replay: command({
      summary: 'runs again with the same input or another one, waits for the end, and prints the new run',
      arguments: { run },
      options: input,
      examples: ['triggers replay 018f…', 'triggers replay 018f… --params input.json'],
      run: async (session, { run, param, params }) => {
        const client = await session.triggers();
        const isGiven = params !== undefined || param.length > 0;
        const given = isGiven ? await readParameters(params, param) : undefined;
        const { runId } = await client.replayTriggerRun({ runId: run, input: given });
        return waitFor(client, runId);
      },
      show: showRun,
      exitCode: exitCodeOf,
    }),
    tunnel: command({
      summary:
        'runs a local file on the local stack for each new event of a trigger, until Ctrl-C; the trigger keeps running',
      arguments: { trigger, file: { required: true, help: 'file of the action' } },
      options: { once: { help: 'ends after the first event' } },
      examples: ['triggers tunnel 018f… sign.ts --profile work'],
      run: async (session, { trigger, file, once }) => {
        await compileFile(file);
        const client = await session.triggers();
        const { defaultParams } = await client.getTrigger({ triggerId: trigger });
        const local = await openLocal(session);
        const list = async () => (await client.listTriggerRuns({ triggerId: trigger, pageSize: 100 })).items;
        let earlier = await list();
        session.tell('Waiting for events.');
        let isDone = false;
        const step = async (signal: AbortSignal): Promise<void> => {
          // An event that has left the page does not come back.
          const seen = new Set(earlier.map(({ id }) => id));
          earlier = await list();
          for (const event of earlier.toReversed()) {
            if (isDone || signal.aborted) return;
            if (seen.has(event.id)) continue;
            session.tell(`event ${event.id}`);
            // An edit of the file applies from the next event.
            const code = await compileFile(file).catch((error: Error) => session.tell(error.message));
            if (code === undefined) continue;
            const params = { ...defaultParams, ...event.input, pkpId: local.pkpId };
            const result = await runStreamed(session, local.client, { code }, params);
            session.printNext(result, JSON.stringify(result.response, null, 2));
            isDone = once;
          }
        };
        await untilInterrupted(1_000, step, () => isDone);
      },
    }),
  },
};

function setEnabled(enabled: boolean) {
  const verb = enabled ? 'enable' : 'disable';
  return command({
    summary: enabled
      ? 'lets events fire a trigger again'
      : 'pauses a trigger: no event fires it, and queued runs wait',
    arguments: { trigger },
    examples: [`triggers ${verb} 018f…`],
    run: async (session, input) =>
      (await session.triggers()).updateTrigger({ triggerId: input.trigger, enabled }),
    show: showTrigger,
  });
}
