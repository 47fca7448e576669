/**
 * Kills the service (SIGKILL) under load, and loses replies of the relayer. Then checks that each accepted webhook has exactly one
 * run, the one returned with its 202, which succeeded and had one effect, and that there is no other effect.
 *
 *   node triggers/test/crashes.ts [--kills N] [--lost-replies N] [--rate N] [--seed S]
 *
 * `--kills`: kills of one of two replicas, at random times, at `--rate` webhooks per second.
 * `--lost-replies`: number of lost replies, up to five per run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pick, type Random, randomFrom } from '@latchkey/testing/random';
import { type CrashHarness, type Delivery, type StoredRun, startCrashHarness } from './crash-harness.ts';
import type { Behaviour } from './relayer-stand-in.ts';

/** Faults per run. */
const MAX_FAULTS = 5;
const MAX_BETWEEN_KILLS_MS = 3_000;
const MAX_REDELIVERY_DELAY_MS = 3_000;
const VIOLATIONS_SHOWN = 10;

export type Options = {
  rate: number;
  seed: number;
  interrupted?: AbortSignal;
  onProgress?: (text: string) => void;
};

const never = new AbortController().signal;

/** Throws unless every accepted webhook ran once and nothing else ran. */
function check({ accepted, asked, effects, triggers }: CrashHarness, stored: StoredRun[]): void {
  const violations: string[] = [];
  const runsOf = Map.groupBy(stored, ({ delivery }) => delivery);
  const usageKeys = new Map(triggers.map(({ id, usageKey }) => [id, usageKey]));
  for (const [delivery, runId] of accepted) {
    const [run, ...others] = runsOf.get(delivery) ?? [];
    const say = (what: string) => violations.push(`delivery ${delivery}: ${what}`);
    if (!run) say(`run ${runId} is missing`);
    else if (others.length > 0) say(`${1 + others.length} runs`);
    else {
      const { requests = 0 } = asked.get(run.idempotencyKey) ?? {};
      const { id, status, attempt, httpStatuses, triggerId, idempotencyKey } = run;
      if (id !== runId) say(`run ${id}, and 202 said ${runId}`);
      if (status !== 'success') say(`run ${id} is ${status}: ${JSON.stringify(run.error)}`);
      if (!effects.has(`${usageKeys.get(triggerId)} ${idempotencyKey}`)) say(`run ${id} had no effect`);
      if (httpStatuses.length !== attempt || attempt > requests)
        say(`run ${id}: attempt ${attempt}, ${httpStatuses.length} attempts kept, ${requests} requests`);
    }
  }
  for (const delivery of runsOf.keys())
    if (!accepted.has(delivery))
      violations.push(`delivery ${delivery}: a run of a webhook that was not accepted`);
  const keys = new Set(stored.map(({ idempotencyKey }) => idempotencyKey));
  for (const [key, { delivery }] of asked)
    if (!keys.has(key)) violations.push(`delivery ${delivery}: requested without a run`);
  if (effects.size !== accepted.size)
    violations.push(`${effects.size} effects of ${accepted.size} accepted webhooks`);
  refuse(violations);
}

function refuse(violations: string[]): void {
  if (violations.length === 0) return;
  const shown = violations.slice(0, VIOLATIONS_SHOWN).join('\n');
  throw new Error(`${violations.length} violations, among them\n${shown}`);
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);

/** Makes the relayer lose or refuse some requests and delay others. */
function injectFaults(harness: CrashHarness, random: Random): void {
  const faults = new Map<string, number>();
  harness.onRequest(({ delivery }) => {
    const before = faults.get(delivery) ?? 0;
    const fate = before < MAX_FAULTS ? random(100) : 100;
    if (fate < 10) faults.set(delivery, before + 1);
    if (fate < 5) return { kind: 'lose' };
    if (fate < 10) return { kind: 'status', status: 503 };
    return random(5) > 0 ? { kind: 'run' } : { kind: 'hang', until: delay(random(300)) };
  });
}

export type KillsOutcome = { accepted: number; perSecond: number };

/** Kills replicas `kills` times at random times under load. */
export async function killUnderLoad(
  kills: number,
  { rate, seed, interrupted = never, onProgress = () => {} }: Options,
): Promise<KillsOutcome> {
  const random = randomFrom(seed);
  await using harness = await startCrashHarness(random, interrupted);
  const { accepted, effects, signal, errors } = harness;
  injectFaults(harness, random);

  let isOver = false;
  let sent = 0;
  /** Redeliveries, with their due times. */
  const again: { at: number; delivery: Delivery }[] = [];
  let second: Delivery | undefined;
  const next = (): Delivery | undefined => {
    if (isOver) return undefined;
    const repeated = second;
    second = undefined;
    if (repeated) return repeated;
    const due = again.findIndex(({ at }) => at <= Date.now());
    if (due >= 0) return again.splice(due, 1)[0]?.delivery;
    const delivery = { id: `delivery-${++sent}`, trigger: pick(random, harness.triggers), body: {} };
    const fate = random(20);
    if (fate === 0) second = delivery;
    if (fate === 1) again.push({ at: Date.now() + random(MAX_REDELIVERY_DELAY_MS), delivery });
    return delivery;
  };
  const kill = async (): Promise<void> => {
    for (let killed = 0, told = 10, most = MAX_BETWEEN_KILLS_MS; killed < kills; ) {
      await delay(random(most), undefined, { signal });
      const killedAt = performance.now();
      killed += await harness.killOne(kills - killed);
      // On a slow machine, waits longer between kills.
      most = Math.max(MAX_BETWEEN_KILLS_MS, Math.ceil(performance.now() - killedAt));
      if (killed < told) continue;
      onProgress(`${killed} of ${kills} kills, ${accepted.size} webhooks accepted, ${effects.size} run`);
      told = killed - (killed % 10) + 10;
    }
  };
  const began = performance.now();
  await harness.together(
    harness.send(rate, next),
    kill().finally(() => {
      isOver = true;
    }),
  );
  const perSecond = accepted.size / ((performance.now() - began) / 1_000);
  onProgress(
    `${accepted.size} webhooks accepted, ${perSecond.toFixed(1)} per second of ${rate}, ${effects.size} run`,
  );
  await harness.together(harness.drained());
  check(harness, await harness.stopAndRead());
  const replies = [...harness.replies].map(([status, count]) => `${count} × ${status || 'no reply'}`);
  const requests = [...harness.asked.values()];
  onProgress(
    `replies to webhooks: ${replies.join(', ')}; of the relayer: ${sum(requests.map(({ lost }) => lost))} of ${sum(requests.map((one) => one.requests))} lost`,
  );
  for (const [what, count] of errors) onProgress(`logged ${count} times: ${what}`);
  return { accepted: accepted.size, perSecond };
}

/** Loses `count` replies of the relayer after the run was executed: the first one to five of each run. A lost reply does not count as an attempt. */
export async function loseReplies(
  count: number,
  { rate, seed, interrupted = never, onProgress = () => {} }: Options,
): Promise<{ accepted: number; requests: number }> {
  const random = randomFrom(seed);
  await using harness = await startCrashHarness(random, interrupted);
  const { accepted, asked, effects } = harness;
  harness.onRequest(
    ({ requests }, { losses }): Behaviour => ({ kind: requests > Number(losses) ? 'run' : 'lose' }),
  );
  let [sent, left] = [0, count];
  const next = (): Delivery | undefined => {
    if (left === 0) return undefined;
    const losses = Math.min(1 + random(MAX_FAULTS), left);
    left -= losses;
    return { id: `delivery-${++sent}`, trigger: pick(random, harness.triggers), body: { losses } };
  };
  await harness.together(harness.send(rate, next));
  onProgress(`${accepted.size} webhooks accepted, ${effects.size} run`);
  await harness.together(harness.drained());
  const stored = await harness.stopAndRead();
  check(harness, stored);
  const requests = [...asked.values()];
  const lost = sum(requests.map((one) => one.lost));
  if (lost !== count) throw new Error(`${lost} replies were lost instead of ${count}`);
  refuse(
    stored
      .filter(({ httpStatuses }) => httpStatuses.join() !== '200')
      .map(({ id, httpStatuses }) => `run ${id}: attempts with ${httpStatuses.join()}`),
  );
  return { accepted: accepted.size, requests: sum(requests.map((one) => one.requests)) };
}

const number = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;

function parseSettings() {
  const { values } = parseArgs({
    options: { kills: number(200), 'lost-replies': number(10_000), rate: number(500), seed: number(1) },
  });
  const { kills, 'lost-replies': lostReplies, rate, seed } = values;
  return { kills: Number(kills), lostReplies: Number(lostReplies), rate: Number(rate), seed: Number(seed) };
}

async function main(
  { kills, lostReplies, rate, seed }: ReturnType<typeof parseSettings>,
  interrupted: AbortSignal,
): Promise<void> {
  const onProgress = (text: string) => console.log(text);
  const options = { rate, seed, interrupted, onProgress };
  if (kills > 0) {
    const { accepted, perSecond } = await killUnderLoad(kills, options);
    onProgress(
      `killed ${kills} times under ${perSecond.toFixed(1)} webhooks per second: ${accepted} accepted, 0 lost, 0 twice`,
    );
  }
  if (lostReplies > 0) {
    const { accepted, requests } = await loseReplies(lostReplies, options);
    onProgress(
      `${lostReplies} replies lost: ${accepted} runs, ${requests} requests, all succeeded, 0 effects twice`,
    );
  }
}

if (import.meta.main) {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interruption.abort(new Error('interrupted')));
  await main(parseSettings(), interruption.signal);
}
