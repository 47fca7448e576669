/**
 * Measures the latency of tenant B while tenant A floods the service at 100 times B's rate: from 202 to the request to the relayer,
 * compared with B alone.
 *
 *   node triggers/test/fairness.ts [--runs <runs of B per row, default 100>] [--rate <runs of B per second, default 1>]
 *
 * Each row starts a new service process and takes `--runs` / `--rate` seconds. A rate above one exceeds B's own limit per minute. The
 * ratios compare the p99 with the first row.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { until } from '@latchkey/testing/until';
import type { Database } from '../src/db/database.ts';
import { createTriggersDatabase, settingsFor } from './database.ts';
import { addOpenable, startFilledService } from './filled-service.ts';
import { addRuns, addUser, clear } from './fixtures.ts';
import { type RelayerStandIn, startRelayerStandIn } from './relayer-stand-in.ts';

const RUN_MS = 200;
/** Default of MAX_CONCURRENT_REQUESTS_PER_ACCOUNT, and the throughput that it allows A. */
const MAX_CONCURRENT_OF_A = 12;
const A_RUNS_PER_SECOND = MAX_CONCURRENT_OF_A * (1_000 / RUN_MS);
const FLOOD = 100;
const TRIGGERS_OF_A = 50;
const TRIGGERS_OF_B = 4;
const SENDERS_OF_A = 32;
const WARM_UPS = 20;
/** All senders share one address. */
const noIpLimit = { WEBHOOKS_PER_MINUTE_PER_ADDRESS: '1000000' };
const noLimit = { ...noIpLimit, WEBHOOKS_PER_MINUTE_PER_ACCOUNT: '1000000' };

type Flood = {
  name: string;
  /** Queued runs of A when B begins, in seconds of A's throughput. */
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
  // Shows the variance of the machine.
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
        await addOpenable(db, userId, { defaultParams: { tenant }, maxConcurrentRuns: MAX_CONCURRENT_OF_A }),
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
 * Calls `send` `count` times, or until `stop` is aborted, as a Poisson process of `rate` calls per second with at most `atOnce` calls
 * in flight. Resolves when all calls have resolved.
 */
async function sendAtRandom({ rate, count, atOnce, stop }: Sending, send: () => Promise<unknown>) {
  const inFlight = new Set<Promise<unknown>>();
  let atMs = Date.now();
  for (let i = 0; i < count && !stop.aborted; i++) {
    atMs -= (Math.log(1 - Math.random()) * 1_000) / rate;
    await delay(Math.max(0, atMs - Date.now()), undefined, { signal: stop }).catch(() => {});
    if (inFlight.size >= atOnce) await Promise.race(inFlight);
    const sent = send().finally(() => inFlight.delete(sent));
    inFlight.add(sent);
  }
  await Promise.all(inFlight);
}

/** Counts the requests for A's runs, and lets the caller wait for B's by event id. */
function watchStarts(relayer: RelayerStandIn) {
  const waiting = new Map<string, (startedMs: number) => void>();
  const starts = {
    ofA: 0,
    startOf: (id: string) => new Promise<number>((resolve) => waiting.set(id, resolve)),
  };
  relayer.behave = ({ body: { js_params = {} } }) => {
    const { tenant, event } = js_params as { tenant: string; event: { id: string } };
    if (tenant === 'A') starts.ofA++;
    else waiting.get(event.id)?.(performance.now());
    return { kind: 'hang', until: delay(RUN_MS) };
  };
  return starts;
}

async function readCpuSeconds(metricsUrl: string): Promise<number> {
  const metrics = await (await fetch(metricsUrl)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]);
}

async function measure(
  place: Record<string, string>,
  { queuedSec, isSending, settings }: Flood,
  { runs, rate }: Options,
) {
  await using relayer = await startRelayerStandIn();
  const starts = watchStarts(relayer);
  const queued = queuedSec(runs / rate) * A_RUNS_PER_SECOND;
  await using service = await startFilledService({ ...place, ...settings, RELAYER_URLS: relayer.url }, (db) =>
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
    if (status !== 202) throw new Error(`a webhook of B returned ${status}`);
    const acceptedMs = performance.now();
    return { sentMs, acceptedMs, startedMs: await start };
  };

  // Warm up: excludes JIT compilation.
  for (let i = 0; i < WARM_UPS; i++) await wait();
  if (queued > 0) await until('A runs at its limit', async () => starts.ofA >= MAX_CONCURRENT_OF_A);

  const over = new AbortController();
  const [startedBefore, cpuBefore, beganMs] = [
    starts.ofA,
    await readCpuSeconds(service.metricsUrl),
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
  const cpu = (await readCpuSeconds(service.metricsUrl)) - cpuBefore;
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
    'A per second: sent/accepted/started': [found.sentOfA, found.acceptedOfA, found.startedOfA]
      .map(text)
      .join(' / '),
    'A waiting': found.waiting,
    'CPU of the service': `${Math.round(found.cpu * 100)} %`,
  });
  console.log(JSON.stringify(rows.at(-1)));
}
console.table(rows);
// Connections that fetch keeps open would keep the process alive.
process.exit();
