/**
 * The trigger service. Baseline: one database row and one request to the relayer per event. A stand-in in this process
 * replaces the relayer.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@latchkey/testing/until';
import { sql } from 'drizzle-orm';
import { loadConfig } from '../../triggers/src/config.ts';
import { type Database, openDatabase } from '../../triggers/src/db/database.ts';
import { runs } from '../../triggers/src/db/schema.ts';
import { nextSlot } from '../../triggers/src/sources/schedule.ts';
import { createTriggersDatabase, settingsFor } from '../../triggers/test/database.ts';
import { addOpenable, startFilledService } from '../../triggers/test/filled-service.ts';
import { addUser, clear } from '../../triggers/test/fixtures.ts';
import {
  type RelayerStandIn,
  type Request,
  startRelayerStandIn,
} from '../../triggers/test/relayer-stand-in.ts';
import { type Comparison, compare, compareSamples } from './measure.ts';

const USERS = 50;
const TRIGGERS_OF_USER = 4;
const SENDERS = 16;
const SLOTS_A_SECOND = 10;
/** Between webhooks to an idle service; not a divisor of a second, at which the service polls. */
const IDLE_MS = 40;
const DELIVERY_HEADER = 'x-delivery';
const noLimits = { WEBHOOKS_PER_MINUTE_PER_IP: '1000000', WEBHOOKS_PER_MINUTE_PER_USER: '1000000' };

type Settings = Record<string, string>;
type Input = Record<string, unknown>;

/** Creates a table with the columns and indexes of `runs`. */
async function openBareTable(settings: Settings) {
  const { db, close } = await openDatabase(loadConfig(settings).secrets.database);
  await db.execute(sql`create table triggers.bare_runs (like ${runs} including all)`);
  return {
    async insert(input: Input): Promise<void> {
      await db.execute(sql`
        insert into triggers.bare_runs (trigger_id, user_id, input, dedupe_key)
        values (${randomUUID()}, ${randomUUID()}, ${JSON.stringify(input)}, ${randomUUID()})`);
    },
    dispose: close,
  };
}

type BareTable = Awaited<ReturnType<typeof openBareTable>>;

async function post(url: string, body: unknown, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
}

/** Returns the body of a webhook, about a kilobyte. */
const createEvent = (id: string) => ({
  id,
  kind: 'order.paid',
  items: Array(20).fill({ name: 'a thing', price: 1_995 }),
});

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

/** Sends to one trigger after another. */
function senderTo(url: string, triggers: string[]) {
  let sent = 0;
  return async (id: string): Promise<void> => {
    const trigger = triggers[sent++ % triggers.length];
    await post(`${url}/webhook/${trigger}`, createEvent(id), { [DELIVERY_HEADER]: id });
  };
}

async function benchWebhooks(settings: Settings, bare: BareTable, count: number): Promise<Comparison[]> {
  await using relayer = await startRelayerStandIn();
  await using service = await startFilledService(
    { ...settings, ...noLimits, RELAYER_URL: relayer.url },
    addWebhooks,
  );
  const send = senderTo(service.url, service.filled);
  const started = watchStarts(relayer);
  const first = randomUUID();
  await Promise.all([started(first), send(first)]);
  const input = relayer.requests[0]?.body.js_params as Input;
  const comparisons: Comparison[] = [];

  const startBare = async () => {
    const id = randomUUID();
    const isStarted = started(id);
    const js_params = { ...input, event: createEvent(id) };
    await bare.insert(js_params);
    const headers = { 'X-Api-Key': 'a usage key', 'Idempotency-Key': id };
    const ran = post(`${relayer.url}/core/v1/svc_action`, { code: 'code', js_params }, headers);
    await isStarted;
    return ran;
  };
  const start = async () => {
    const id = randomUUID();
    const isStarted = started(id);
    await send(id);
    await isStarted;
  };
  const pause = () => delay(IDLE_MS * (0.5 + Math.random()));
  comparisons.push(
    await compare(`webhook to running, idle`, {
      count,
      concurrency: 1,
      service: { prepare: pause, run: start },
      baseline: { prepare: pause, run: startBare },
    }),
    await compare(`webhook to running`, {
      count: 10 * count,
      concurrency: SENDERS,
      service: { run: start },
      baseline: { run: startBare },
    }),
  );

  // All slots of the service stay occupied, so that it only accepts.
  const release = Promise.withResolvers<void>();
  relayer.behave = () => ({ kind: 'hang', until: release.promise });
  for (let i = 0; i < SENDERS; i++) await send(randomUUID());
  for (const concurrency of [1, SENDERS])
    comparisons.push(
      await compare(`webhook accepted`, {
        count: 10 * count,
        concurrency,
        service: { run: () => send(randomUUID()) },
        baseline: { run: () => bare.insert(input) },
      }),
    );
  release.resolve();
  return comparisons;
}

/** Adds triggers with a slot every 30 seconds, together one per second. */
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

/** From a slot to the request at the relayer; the baseline is a timer for the slot, its insert and its request. */
async function benchSchedules(settings: Settings, bare: BareTable, seconds: number): Promise<Comparison> {
  await using relayer = await startRelayerStandIn();
  const samples = {
    service: { durationsMs: [] as number[], wallMs: seconds * 1_000 },
    baseline: { durationsMs: [] as number[], wallMs: seconds * 1_000 },
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
  await using _service = await startFilledService({ ...settings, RELAYER_URL: relayer.url }, addSchedules);
  fromMs = Math.ceil(Date.now() / 1_000) * 1_000 + 2_000;
  toMs = fromMs + seconds * 1_000;
  const fireBare = async (slotMs: number) => {
    await delay(slotMs - Date.now());
    const input = { source: 'schedule', scheduled_at: new Date(slotMs).toISOString(), is_bare: true };
    await bare.insert(input);
    await post(
      `${relayer.url}/core/v1/svc_action`,
      { code: 'code', js_params: input },
      { 'X-Api-Key': 'a usage key', 'Idempotency-Key': randomUUID() },
    );
  };
  for (let slotMs = fromMs + BARE_OFFSET_MS; slotMs < toMs; slotMs += 1_000)
    await Promise.all(Array.from({ length: SLOTS_A_SECOND }, () => fireBare(slotMs)));
  const count = seconds * SLOTS_A_SECOND;
  await until('all slots have fired', async () => samples.service.durationsMs.length === count);
  return compareSamples({ name: `slot to running`, concurrency: SLOTS_A_SECOND, count }, samples);
}

export async function benchTriggers(count: number): Promise<Comparison[]> {
  await using database = await createTriggersDatabase();
  const settings = settingsFor(database);
  const bare = await openBareTable(settings);
  try {
    const webhooks = await benchWebhooks(settings, bare, count);
    return [...webhooks, await benchSchedules(settings, bare, count)];
  } finally {
    await bare.dispose();
  }
}
