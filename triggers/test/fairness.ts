/**
 * Tenant A floods the service at 100 times the rate of tenant B, with more than can be worked off. What becomes of B: how long its
 * webhooks wait, from being accepted to the request at the core service, beside the same without A.
 *
 *   node triggers/test/fairness.ts [--runs <of B in each row, default 100>] [--rate <of B, a second, default 1>]
 *
 * Each row is a service of its own, in a process of its own; `--runs` over `--rate` is how many seconds it takes. More than one a
 * second would meet B's own limit. The ratio is of the p99 to the first row's.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { until } from '@latchkey/testing/until';
import type { Database } from '../src/db/database.ts';
import { type CoreStandIn, startCore } from './core.ts';
import { createTriggersDatabase, settingsFor } from './database.ts';
import { addOpenable, startFilledService } from './filled-service.ts';
import { addRuns, addUser, clear } from './fixtures.ts';

const RUN_MS = 200;
/** MAX_CONCURRENT_RUNS_PER_USER by default, and what a user with so many places gets done. */
const PLACES_OF_A = 12;
const A_DONE_A_SECOND = PLACES_OF_A * (1_000 / RUN_MS);
const FLOOD = 100;
const TRIGGERS_OF_A = 50;
const TRIGGERS_OF_B = 4;
const SENDERS_OF_A = 32;
const WARM_UPS = 20;
/** All senders have one address here. */
const noIpLimit = { WEBHOOKS_PER_MINUTE_PER_IP: '1000000' };
const noLimit = { ...noIpLimit, WEBHOOKS_PER_MINUTE_PER_USER: '1000000' };

type Flood = {
  name: string;
  /** Of A when B begins, in seconds of work. */
  queuedSec: (seconds: number) => number;
  isSending: boolean;
  settings: Record<string, string>;
};

const alone = { queuedSec: () => 0, isSending: false, settings: noLimit };
const more = (seconds: number) => seconds * 1.5 + 10;
const floods: Flood[] = [
  { ...alone, name: 'B alone' },
  { name: 'A has queued', queuedSec: more, isSending: false, settings: noLimit },
  { name: 'A sends, all accepted', queuedSec: () => 5, isSending: true, settings: noLimit },
  { name: 'A sends, within limits', queuedSec: more, isSending: true, settings: noIpLimit },
  // What the machine alone makes of it.
  { ...alone, name: 'B alone, again' },
];

type Options = { runs: number; rate: number };
type Wait = { sentMs: number; acceptedMs: number; startedMs: number };

async function addTenants(db: Database, queued: number) {
  await clear(db);
  const add = async (tenant: string, count: number) => {
    const userId = await addUser(db);
    const added = [];
    for (let i = 0; i < count; i++)
      added.push(
        await addOpenable(db, userId, { defaultParams: { tenant }, maxConcurrentRuns: PLACES_OF_A }),
      );
    return added;
  };
  const [a, b] = [await add('A', TRIGGERS_OF_A), await add('B', TRIGGERS_OF_B)];
  for (const trigger of a) await addRuns(db, trigger, Math.ceil(queued / a.length));
  const idsOf = (made: typeof a) => made.map(({ id }) => id);
  return { a: idsOf(a), b: idsOf(b), queued: Math.ceil(queued / a.length) * a.length };
}

type Sending = { rate: number; count: number; atOnce: number; stop: AbortSignal };

/**
 * Calls `send` at random moments, `rate` times a second, later when `atOnce` calls are under way; `count` times or until it is
 * stopped. Resolves when all calls have.
 */
async function sendAtRandom({ rate, count, atOnce, stop }: Sending, send: () => Promise<unknown>) {
  const underWay = new Set<Promise<unknown>>();
  let atMs = Date.now();
  for (let i = 0; i < count && !stop.aborted; i++) {
    atMs -= (Math.log(1 - Math.random()) * 1_000) / rate;
    await delay(Math.max(0, atMs - Date.now()), undefined, { signal: stop }).catch(() => {});
    if (underWay.size >= atOnce) await Promise.race(underWay);
    const sent = send().finally(() => underWay.delete(sent));
    underWay.add(sent);
  }
  await Promise.all(underWay);
}

/** Requests for A's runs are counted, B's are waited for by their event. */
function watchStarts(core: CoreStandIn) {
  const waiting = new Map<string, (startedMs: number) => void>();
  const starts = {
    ofA: 0,
    startOf: (id: string) => new Promise<number>((resolve) => waiting.set(id, resolve)),
  };
  core.behave = ({ body: { js_params = {} } }) => {
    const { tenant, event } = js_params as { tenant: string; event: { id: string } };
    if (tenant === 'A') starts.ofA++;
    else waiting.get(event.id)?.(performance.now());
    return { kind: 'hang', until: delay(RUN_MS) };
  };
  return starts;
}

async function cpuSecondsOf(metricsUrl: string): Promise<number> {
  const metrics = await (await fetch(metricsUrl)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]);
}

async function measure(
  place: Record<string, string>,
  { queuedSec, isSending, settings }: Flood,
  { runs, rate }: Options,
) {
  await using core = await startCore();
  const starts = watchStarts(core);
  const queued = queuedSec(runs / rate) * A_DONE_A_SECOND;
  await using service = await startFilledService({ ...place, ...settings, CORE_URL: core.url }, (db) =>
    addTenants(db, queued),
  );
  const { a, b, queued: queuedBefore } = service.filled;
  const post = async (triggers: string[], event: Record<string, unknown>): Promise<number> => {
    const trigger = triggers[Math.floor(Math.random() * triggers.length)];
    const response = await fetch(`${service.url}/webhook/${trigger}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(event),
    });
    await response.text();
    return response.status;
  };

  const wait = async (): Promise<Wait> => {
    const id = randomUUID();
    const start = starts.startOf(id);
    const sentMs = performance.now();
    const status = await post(b, { id });
    if (status !== 202) throw new Error(`a webhook of B was answered with ${status}`);
    const acceptedMs = performance.now();
    return { sentMs, acceptedMs, startedMs: await start };
  };

  // What is compiled when it is used first counts for no row.
  for (let i = 0; i < WARM_UPS; i++) await wait();
  if (queued > 0) await until('A has all of its places', async () => starts.ofA >= PLACES_OF_A);

  const over = new AbortController();
  const [startedBefore, cpuBefore, beganMs] = [
    starts.ofA,
    await cpuSecondsOf(service.metricsUrl),
    performance.now(),
  ];
  let [sent, accepted] = [0, 0];
  const flood = { rate: rate * FLOOD, count: isSending ? Number.POSITIVE_INFINITY : 0, atOnce: SENDERS_OF_A };
  const flooding = sendAtRandom({ ...flood, stop: over.signal }, async () => {
    sent++;
    if ((await post(a, { id: 'flood' })) === 202) accepted++;
  });
  const waits: Wait[] = [];
  const few = { rate, count: runs, atOnce: Number.POSITIVE_INFINITY };
  await sendAtRandom({ ...few, stop: over.signal }, async () => waits.push(await wait()));
  const tookSec = (performance.now() - beganMs) / 1_000;
  const cpu = (await cpuSecondsOf(service.metricsUrl)) - cpuBefore;
  over.abort();
  await flooding;
  const waiting = queuedBefore + accepted - starts.ofA;
  if (queued > 0 && waiting <= 0) throw new Error('the queue of A ran empty');
  return {
    accept: waits.map(({ sentMs, acceptedMs }) => acceptedMs - sentMs),
    start: waits.map(({ acceptedMs, startedMs }) => startedMs - acceptedMs),
    whole: waits.map(({ sentMs, startedMs }) => startedMs - sentMs),
    sentOfA: sent / tookSec,
    acceptedOfA: accepted / tookSec,
    startedOfA: (starts.ofA - startedBefore) / tookSec,
    waiting,
    cpu: cpu / tookSec,
  };
}

/** Nearest rank. */
const percentile = (values: number[], share: number): number =>
  values.toSorted((x, y) => x - y)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN;
const text = (value: number): string => value.toFixed(1);
const both = (values: number[]): string =>
  `${text(percentile(values, 0.5))} / ${text(percentile(values, 0.99))}`;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    rate: { type: 'string', default: '1' },
  },
});
const options = { runs: Number(values.runs), rate: Number(values.rate) };
const rows: Record<string, string | number>[] = [];
let first: { start: number; whole: number } | undefined;
for (const flood of floods) {
  await using database = await createTriggersDatabase();
  const found = await measure(settingsFor(database), flood, options);
  const p99 = { start: percentile(found.start, 0.99), whole: percentile(found.whole, 0.99) };
  first ??= p99;
  rows.push({
    flood: flood.name,
    'runs of B': options.runs,
    'sent to 202 p50/p99 ms': both(found.accept),
    '202 to start p50/p99 ms': both(found.start),
    'p99 ratio': text(p99.start / first.start),
    'sent to start p50/p99 ms': both(found.whole),
    'its p99 ratio': text(p99.whole / first.whole),
    'A a second: sent/accepted/started': [found.sentOfA, found.acceptedOfA, found.startedOfA]
      .map(text)
      .join(' / '),
    'A waiting': found.waiting,
    'CPU of the service': `${Math.round(found.cpu * 100)} %`,
  });
  console.log(JSON.stringify(rows.at(-1)));
}
console.table(rows);
// A connection that fetch keeps open must not hold the process.
process.exit();
