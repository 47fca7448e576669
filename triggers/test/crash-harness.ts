/**
 * Harness for crash tests: service processes that can be killed, a database, a stand-in for the relayer, and senders that redeliver
 * a webhook until it is accepted.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createSealer, sealingKey } from '@latchkey/service/sealer';
import { pick, type Random } from '@latchkey/testing/random';
import { type ServiceProcess, spawnService } from '@latchkey/testing/services';
import { eq, sql } from 'drizzle-orm';
import { Agent, request } from 'undici';
import { NO_ACCOUNT } from '../src/auth/authority.ts';
import { hashToken } from '../src/auth/secrets.ts';
import { loadConfig } from '../src/config.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { agentTokens, attempts, runs } from '../src/db/schema.ts';
import { createTriggersDatabase } from './database.ts';
import { addTrigger, addUser } from './fixtures.ts';
import { type Behaviour, startRelayerStandIn } from './relayer-stand-in.ts';

const REPLICAS = 2;
const USERS = 20;
const TRIGGERS_PER_USER = 5;
const MAX_IN_FLIGHT = 200;
/** Time without progress after which the test fails: longer than a lease and the longest retry delay. */
const DEADLINE_MS = 120_000;
const DELIVERY_HEADER = 'x-delivery';

const noLimits = {
  WEBHOOKS_PER_MINUTE_PER_ADDRESS: '1000000',
  WEBHOOKS_PER_MINUTE_PER_ACCOUNT: '1000000',
  // Runs of a killed process count until their leases expire.
  MAX_CONCURRENT_REQUESTS: '256',
  MAX_CONCURRENT_REQUESTS_PER_ACCOUNT: '255',
};

export type Delivery = { id: string; trigger: Trigger; body: Record<string, unknown> };
type Trigger = { id: string; usageKey: string; agent: string };

/** Requests to the relayer with one idempotency key. */
type Asked = { usageKey: string; delivery: string; bodyHash: string; requests: number; lost: number };

export type StoredRun = Awaited<ReturnType<typeof storedRuns>>[number];

export type CrashHarness = Awaited<ReturnType<typeof startCrashHarness>>;

async function storeTriggers(db: Database, key: Buffer): Promise<Trigger[]> {
  const sealer = createSealer([sealingKey(key)]);
  const stored: Trigger[] = [];
  for (let user = 0; user < USERS; user++) {
    const [userId, agent] = [await addUser(db), randomBytes(32).toString('hex')];
    const expiresAt = new Date(Date.now() + 86_400_000);
    await db
      .insert(agentTokens)
      .values({ tokenHash: hashToken(agent), userId, label: 'crashes', authority: NO_ACCOUNT, expiresAt });
    for (let trigger = 0; trigger < TRIGGERS_PER_USER; trigger++) {
      const [id, usageKey] = [crypto.randomUUID(), randomBytes(32).toString('base64')];
      await addTrigger(db, userId, {
        id,
        usageApiKey: sealer.seal(usageKey, id),
        config: { delivery_header: DELIVERY_HEADER },
        maxConcurrentRuns: 1_000,
      });
      stored.push({ id, usageKey, agent });
    }
  }
  return stored;
}

const storedRuns = (db: Database) =>
  db
    .select({
      id: runs.id,
      triggerId: runs.triggerId,
      delivery: sql<string>`${runs.input} -> 'event' ->> 'delivery'`,
      status: runs.status,
      error: runs.error,
      idempotencyKey: runs.idempotencyKey,
      attempt: runs.attempt,
      /** Statuses of the attempts, in order. */
      httpStatuses: sql<number[]>`array_agg(${attempts.httpStatus} order by ${attempts.number})`,
    })
    .from(runs)
    .leftJoin(attempts, eq(attempts.runId, runs.id))
    .groupBy(runs.id);

/** Returns the errors in the log of a replica. The last line of a killed replica may be incomplete. */
const errorsIn = (output: string): string[] =>
  [...output.matchAll(/^.*"level":[56]0,.*\}$/gm)].map(([line]) => {
    const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } };
    return `${msg}: ${err?.message.slice(0, 300)}`;
  });

/** Starts the harness. Aborting `interrupted` fails all work in progress with its reason. */
export async function startCrashHarness(random: Random, interrupted: AbortSignal) {
  await using started = new AsyncDisposableStack();
  const failing = new AbortController();
  const signal = AbortSignal.any([interrupted, failing.signal]);
  const fail = (error: unknown) => failing.abort(error);
  started.defer(() => fail(new Error('the harness was disposed')));

  const relayer = started.use(await startRelayerStandIn());
  const database = started.use(await createTriggersDatabase());
  const key = randomBytes(32);
  const settings: Record<string, string> = {
    ...noLimits,
    DATABASE_URL: database.url,
    SEALING_KEYS: key.toString('base64'),
    RELAYER_URLS: relayer.url,
    LOG_LEVEL: 'warn',
  };
  const inDatabase = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
    const { db, close } = await openDatabase(loadConfig(settings).secrets.database);
    return work(db).finally(close);
  };
  const triggers = await inDatabase((db) => storeTriggers(db, key));

  const asked = new Map<string, Asked>();
  let requests = 0;
  let behave: (asked: Asked, body: Record<string, unknown>) => Behaviour = () => ({ kind: 'run' });
  relayer.behave = ({ key: usageKey, idempotencyKey, body }) => {
    // Recorded requests would fill the memory.
    relayer.requests.length = 0;
    requests++;
    const event = body.js_params?.event as { delivery: string };
    const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest('base64');
    const known = asked.get(idempotencyKey) ?? {
      usageKey,
      delivery: event.delivery,
      bodyHash,
      requests: 0,
      lost: 0,
    };
    asked.set(idempotencyKey, known);
    if (known.usageKey !== usageKey || known.bodyHash !== bodyHash)
      fail(new Error(`delivery ${known.delivery}: two requests with one idempotency key differ`));
    known.requests++;
    const behaviour = behave(known, event);
    if (behaviour.kind === 'lose') known.lost++;
    return behaviour;
  };

  type Replica = { process: ServiceProcess; isUp: boolean };
  const replicas: Replica[] = [];
  const errors = new Map<string, number>();
  /** Replicas killed or stopped by the harness. */
  const ended = new Set<ServiceProcess>();
  const spawn = async (): Promise<ServiceProcess> => {
    const process = await spawnService('triggers', settings);
    process.child.once('exit', () => {
      for (const what of errorsIn(process.output())) errors.set(what, (errors.get(what) ?? 0) + 1);
      if (!ended.has(process)) fail(new Error(`a replica exited unexpectedly:\n${process.output()}`));
    });
    return process;
  };
  const stop = (process: ServiceProcess, how: NodeJS.Signals) => {
    ended.add(process);
    return process.stop(how);
  };
  started.defer(async () => {
    await Promise.all(replicas.map(({ process }) => stop(process, 'SIGKILL')));
  });
  for (let count = 0; count < REPLICAS; count++) replicas.push({ process: await spawn(), isUp: false });
  const isReady = async (replica: Replica): Promise<void> => {
    await replica.process.ready();
    replica.isUp = true;
  };
  await Promise.all(replicas.map(isReady));

  const dispatcher = new Agent({ headersTimeout: 30_000, bodyTimeout: 30_000 });
  started.defer(() => dispatcher.destroy());
  const ask = async (
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body?: string,
  ) => {
    const up = replicas.filter(({ isUp }) => isUp);
    const { url } = pick(random, up.length > 0 ? up : replicas).process;
    const reply = await request(`${url}${path}`, { method, dispatcher, signal, headers, body: body ?? null });
    return { status: reply.statusCode, body: (await reply.body.json()) as Record<string, unknown> };
  };

  /** Run id per accepted delivery. */
  const accepted = new Map<string, string>();
  let acceptedAt = Date.now();
  const replies = new Map<number, number>();
  const deliver = async ({ id, trigger, body }: Delivery): Promise<void> => {
    const headers = { 'content-type': 'application/json', [DELIVERY_HEADER]: id };
    const text = JSON.stringify({ delivery: id, ...body });
    for (;;) {
      const reply = await ask('POST', `/webhook/${trigger.id}`, headers, text).catch(() => undefined);
      signal.throwIfAborted();
      const status = reply?.status ?? 0;
      replies.set(status, (replies.get(status) ?? 0) + 1);
      if (reply && status === 202) {
        const runId = String(reply.body.run_id);
        const before = accepted.get(id) ?? runId;
        if (before !== runId) throw new Error(`delivery ${id} returned run ${before}, then run ${runId}`);
        accepted.set(id, runId);
        acceptedAt = Date.now();
        return;
      }
      if (status !== 0 && status !== 429 && status < 500)
        throw new Error(`delivery ${id}: ${status} ${JSON.stringify(reply?.body)}`);
      // The deadline is for all deliveries together: a single one may be delayed long.
      if (Date.now() - acceptedAt > DEADLINE_MS)
        throw new Error(
          `no progress: delivery ${id} is not accepted, nor is any other; last status ${status}`,
        );
      await delay(200 + random(600), undefined, { signal });
    }
  };

  const hasWaiting = async (): Promise<boolean> => {
    for (const { id, agent } of triggers)
      for (const status of ['queued', 'running']) {
        const path = `/api/triggers/${id}/runs?limit=1&status=${status}`;
        const reply = await ask('GET', path, { authorization: `Bearer ${agent}` });
        if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
        if ((reply.body.runs as unknown[]).length > 0) return true;
      }
    return false;
  };

  const harness = {
    triggers,
    accepted,
    asked,
    effects: relayer.effects,
    /** Number of replies to webhooks per status, 0 for no reply. */
    replies,
    /** Number of occurrences per error in the logs of killed and stopped replicas. */
    errors,
    signal,
    onRequest(handler: typeof behave): void {
      behave = handler;
    },
    /**
     * Sends the deliveries of `next`, `rate` per second, with at most MAX_IN_FLIGHT in flight. Resolves when `next` has returned
     * undefined and all deliveries are accepted.
     */
    async send(rate: number, next: () => Delivery | undefined): Promise<void> {
      const inFlight = new Set<Promise<void>>();
      let [owed, before] = [0, performance.now()];
      for (;;) {
        const now = performance.now();
        owed = Math.min(owed + ((now - before) * rate) / 1_000, MAX_IN_FLIGHT - inFlight.size);
        before = now;
        for (; owed >= 1; owed--) {
          const delivery = next();
          if (!delivery) return void (await Promise.all(inFlight));
          const sent = deliver(delivery)
            .catch(fail)
            .finally(() => inFlight.delete(sent));
          inFlight.add(sent);
        }
        await delay(5, undefined, { signal });
      }
    },
    /** Kills a replica, sometimes again while it starts, at most `most` times. Resolves to the number of kills when it is ready. */
    async killOne(most: number): Promise<number> {
      const replica = pick(random, replicas);
      let kills = 0;
      do {
        await stop(replica.process, 'SIGKILL');
        replica.isUp = false;
        kills++;
        signal.throwIfAborted();
        replica.process = await spawn();
        if (random(5) > 0) break;
        await delay(random(1_500), undefined, { signal });
      } while (kills < most);
      await isReady(replica);
      return kills;
    },
    /** Resolves when no run is queued or running. */
    async drained(): Promise<void> {
      let [before, changedAt] = [requests, Date.now()];
      while (relayer.effects.size < accepted.size || (await hasWaiting())) {
        await delay(500, undefined, { signal });
        if (requests > before) [before, changedAt] = [requests, Date.now()];
        if (Date.now() - changedAt > DEADLINE_MS)
          throw new Error(
            `no progress: ${relayer.effects.size} of ${accepted.size} accepted webhooks ran, and no request came in ${DEADLINE_MS} ms`,
          );
      }
    },
    /** Stops the service. Resolves to all runs. */
    async stopAndRead(): Promise<StoredRun[]> {
      for (const { process } of replicas) {
        const code = await stop(process, 'SIGTERM');
        if (code !== 0) throw new Error(`a stopped replica exited with ${code}:\n${process.output()}`);
      }
      return inDatabase(storedRuns);
    },
    /** Resolves when all work has resolved. Rejects with the first failure. */
    async together(...work: Promise<void>[]): Promise<void> {
      await Promise.all(work.map((part) => part.catch(fail)));
      signal.throwIfAborted();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  const kept = started.move();
  return harness;
}
