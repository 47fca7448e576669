/**
 * Forked process: answers a count and numbers of clients with measurements of accepted webhooks, and of the time from a
 * webhook and from a slot until the request to the relayer, which a stand-in in this process replaces.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { answer, startForked } from '@latchkey/testing/forked';
import {
  type Comparison,
  compare,
  compareBlocks,
  reportComparison,
  type Samples,
} from '@latchkey/testing/measure';
import { until } from '@latchkey/testing/until';
import { sql } from 'drizzle-orm';
import { loadConfig } from '../src/config.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { runs } from '../src/db/schema.ts';
import { nextSlot } from '../src/sources/schedule.ts';
import { createTriggersDatabase, settingsFor } from '../test/database.ts';
import { addOpenable, startFilledService } from '../test/filled-service.ts';
import { addUser, clear } from '../test/fixtures.ts';
import { type RelayerStandIn, type Request, startRelayerStandIn } from '../test/relayer-stand-in.ts';
import type { BareSettings } from './bare-webhooks.ts';
import { createEvent, type Load, sendWebhook } from './webhook-load.ts';

const USERS = 50;
const TRIGGERS_OF_USER = 4;
/** Default maximum of runs that the service has in flight. */
const SLOTS = 16;
const SLOTS_A_SECOND = 10;
/** Mean pause between webhooks to an idle service. Random, because the service polls every second. */
const IDLE_MS = 40;
const DELIVERY_HEADER = 'x-delivery';
const BARE_TABLE = 'triggers.bare_runs';
/** All senders of the benchmark have one address. */
const noLimits = { WEBHOOKS_PER_MINUTE_PER_ADDRESS: '1000000', WEBHOOKS_PER_MINUTE_PER_ACCOUNT: '1000000' };
/** The default, which logs every request. */
const LOG_LEVEL = 'info';

type Settings = Record<string, string>;
type Input = Record<string, unknown>;
/** The scale of all measurements, and numbers of clients that send webhooks concurrently. */
type Question = { count: number; clients: number[] };

/** Creates a table with the columns and indexes of `runs`. */
async function openBareTable(settings: Settings) {
  const { db, close } = await openDatabase(loadConfig(settings).secrets.database);
  const table = sql.raw(BARE_TABLE);
  await db.execute(sql`create table ${table} (like ${runs} including all)`);
  return {
    async insert(input: Input): Promise<void> {
      await db.execute(sql`
        insert into ${table} (trigger_id, user_id, number, input, dedupe_key)
        values (${randomUUID()}, ${randomUUID()}, 1, ${JSON.stringify(input)}, ${randomUUID()})`);
    },
    /** Claims one queued row. Resolves to its input. */
    async claim(): Promise<Input> {
      // Repeats when a concurrent claim took the row between its choice and its lock.
      for (;;) {
        const { rows } = (await db.execute(sql`
          update ${table} set status = 'running', claim = claim + 1, started_at = now(), lease_until = now() + interval '30 s'
          where id = (select id from ${table} where status = 'queued' limit 1 for update skip locked)
          returning input`)) as unknown as { rows: { input: Input }[] };
        if (rows[0]) return rows[0].input;
      }
    },
    empty: () => db.execute(sql`truncate ${table}`),
    dispose: close,
  };
}

type BareTable = Awaited<ReturnType<typeof openBareTable>>;

/** Requests a run as the service does. */
async function postRun(relayer: RelayerStandIn, js_params: Input): Promise<void> {
  const response = await fetch(`${relayer.url}/core/v1/svc_action`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Api-Key': 'a usage key',
      'Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify({ code: 'code', js_params }),
  });
  await response.text();
}

/** Requests of runs at the relayer, told apart by the id of their event. */
function watchStarts(relayer: RelayerStandIn) {
  const waiting = new Map<string, () => void>();
  relayer.behave = ({ body }: Request) => {
    const { id } = (body.js_params?.event ?? {}) as { id?: string };
    waiting.get(id ?? '')?.();
    waiting.delete(id ?? '');
    return { kind: 'run' };
  };
  return (id: string) => new Promise<void>((resolve) => waiting.set(id, resolve));
}

async function addWebhooks(db: Database): Promise<string[]> {
  const ids: string[] = [];
  for (let user = 0; user < USERS; user++) {
    const userId = await addUser(db);
    for (let i = 0; i < TRIGGERS_OF_USER; i++)
      ids.push((await addOpenable(db, userId, { config: { delivery_header: DELIVERY_HEADER } })).id);
  }
  return ids;
}

async function benchWebhooks(
  settings: Settings,
  bare: BareTable,
  { count, clients }: Question,
): Promise<{ toRunning: Comparison; accepted: Comparison[] }> {
  await using relayer = await startRelayerStandIn();
  await using service = await startFilledService(
    { ...settings, ...noLimits, LOG_LEVEL, RELAYER_URLS: relayer.url },
    addWebhooks,
  );
  const urls = service.filled.map((id) => `${service.url}/webhook/${id}`);
  const started = watchStarts(relayer);
  const [first = ''] = urls;
  let rest: Promise<unknown> = Promise.resolve();
  /** Sends an event, and resolves when its run reaches the relayer. Replies belong to the next pause. */
  const start = async (send: (id: string) => Promise<unknown>): Promise<void> => {
    const id = randomUUID();
    const isStarted = started(id);
    rest = send(id);
    await Promise.race([isStarted, rest.then(() => isStarted)]);
  };
  const prepare = async (): Promise<void> => {
    await rest;
    await delay(IDLE_MS * (0.5 + Math.random()));
  };
  const run = () => start((id) => sendWebhook(first, id, DELIVERY_HEADER));
  await run();
  const input = relayer.requests[0]?.body.js_params as Input;
  const runBare = () =>
    start(async (id) => {
      await bare.insert({ ...input, event: createEvent(id) });
      await postRun(relayer, await bare.claim());
    });
  const toRunning = await compare(`webhook to running, idle`, {
    count: 2 * count,
    concurrency: 1,
    service: { prepare, run },
    baseline: { prepare, run: runBare },
  });
  await rest;
  const accepted = await benchAccepted(settings, { relayer, urls, input, clients, count: 40 * count });
  return { toRunning, accepted };
}

/** Accepted webhooks beside the smallest durable server. */
async function benchAccepted(
  settings: Settings,
  {
    relayer,
    urls,
    input,
    count,
    clients,
  }: Question & { relayer: RelayerStandIn; urls: string[]; input: Input },
): Promise<Comparison[]> {
  using load = startForked(new URL('webhook-load.ts', import.meta.url));
  using bareServer = startForked(new URL('bare-webhooks.ts', import.meta.url));
  const { url: databaseUrl, poolSize } = loadConfig(settings).secrets.database;
  const port = await bareServer.ask<number>({
    databaseUrl,
    poolSize,
    table: BARE_TABLE,
    input,
  } satisfies BareSettings);
  const send = (to: string[], concurrency: number, webhooks: number) =>
    load.ask<Samples>({
      urls: to,
      clients: concurrency,
      count: webhooks,
      deliveryHeader: DELIVERY_HEADER,
    } satisfies Load);

  // All slots of the service stay occupied, so that it only accepts.
  const release = Promise.withResolvers<void>();
  let hanging = 0;
  relayer.behave = () => {
    hanging++;
    return { kind: 'hang', until: release.promise };
  };
  await send(urls, 1, SLOTS);
  await until('all slots are occupied', async () => hanging === SLOTS);
  const bareUrls = [`http://127.0.0.1:${port}/webhook`];
  const comparisons: Comparison[] = [];
  for (const concurrency of clients)
    comparisons.push(
      await compareBlocks(
        { name: 'webhook accepted', concurrency, count },
        {
          service: (size) => send(urls, concurrency, size),
          baseline: (size) => send(bareUrls, concurrency, size),
        },
      ),
    );
  release.resolve();
  return comparisons;
}

/** Adds triggers with a slot every 30 seconds, together ten per second. */
async function addSchedules(db: Database): Promise<void> {
  await clear(db);
  const now = new Date();
  const users = await Promise.all(Array.from({ length: SLOTS_A_SECOND }, () => addUser(db)));
  for (let second = 0; second < 30; second++) {
    const timing = { cron: `${second},${second + 30} * * * * *`, timezone: 'UTC' };
    for (const userId of users)
      await addOpenable(db, userId, {
        kind: 'schedule',
        config: { ...timing, missed: 'skip' },
        nextSlotAt: nextSlot(timing, now),
      });
  }
}

/** Offset from the slots of the service, which are at full seconds. */
const BARE_OFFSET_MS = 500;
const WARM_MS = 5_000;

/** From a slot to the request at the relayer; the baseline is a timer for the slot, an insert, a claim and a request. */
async function benchSchedules(settings: Settings, bare: BareTable, seconds: number): Promise<Comparison> {
  await using relayer = await startRelayerStandIn();
  // The schedules set the rate.
  const samples = {
    service: { durationsMs: [] as number[], wallMs: Number.NaN },
    baseline: { durationsMs: [] as number[], wallMs: Number.NaN },
  };
  let fromMs = Number.POSITIVE_INFINITY;
  let toMs = Number.POSITIVE_INFINITY;
  relayer.behave = ({ body }) => {
    const { scheduled_at, is_bare } = body.js_params as { scheduled_at: string; is_bare?: boolean };
    const slotMs = Date.parse(scheduled_at);
    if (slotMs >= fromMs && slotMs < toMs)
      samples[is_bare ? 'baseline' : 'service'].durationsMs.push(Date.now() - slotMs);
    return { kind: 'run' };
  };
  await bare.empty();
  await using _service = await startFilledService(
    { ...settings, LOG_LEVEL, RELAYER_URLS: relayer.url },
    addSchedules,
  );
  const firstMs = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000;
  fromMs = firstMs + WARM_MS;
  toMs = fromMs + seconds * 1_000;
  const fireBare = async (slotMs: number) => {
    await delay(slotMs - Date.now());
    await bare.insert({
      source: 'schedule',
      scheduled_at: new Date(slotMs).toISOString(),
      is_bare: true,
    });
    await postRun(relayer, await bare.claim());
  };
  for (let slotMs = firstMs + BARE_OFFSET_MS; slotMs < toMs; slotMs += 1_000)
    await Promise.all(Array.from({ length: SLOTS_A_SECOND }, () => fireBare(slotMs)));
  const count = seconds * SLOTS_A_SECOND;
  await until('all slots have fired', async () => samples.service.durationsMs.length === count);
  const what = { name: `slot to running`, concurrency: SLOTS_A_SECOND, blocks: 1, clientBoundBlocks: 0 };
  return reportComparison(what, samples);
}

answer(async (question: Question) => {
  await using database = await createTriggersDatabase();
  const settings = settingsFor(database);
  const bare = await openBareTable(settings);
  try {
    const { toRunning, accepted } = await benchWebhooks(settings, bare, question);
    return {
      toRunning,
      accepted,
      slots: await benchSchedules(settings, bare, Math.ceil(question.count / 2)),
    };
  } finally {
    await bare.dispose();
  }
});
