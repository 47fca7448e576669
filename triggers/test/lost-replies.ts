/**
 * Loses replies of the real relayer: each run is executed and charged once.
 *
 *   node triggers/test/lost-replies.ts [--count 10000]
 */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startStack, temporaryDataDir } from '@latchkey/stack';
import { testEnvironment } from '@latchkey/stack/test-setup';
import { getFrom, readLedger } from '@latchkey/testing/ledger';
import { asc, isNotNull } from 'drizzle-orm';
import { Agent, fetch as fetchWith } from 'undici';
import { attempts, runs } from '../src/db/schema.ts';
import { acceptRun } from '../src/runs/accept.ts';
import { addTrigger } from './fixtures.ts';
import { startService } from './service.ts';

/** Lost replies per run. */
const MAX_LOST = 3;
const DEADLINE_MS = 60_000;

/** Forwards requests, and drops the first replies of a run (up to three). `lost` counts them. */
async function losingProxy(target: string) {
  const seen = new Map<string, number>();
  // No keep-alive: the other side may close an idle connection just before it is used.
  const dispatcher = new Agent({ pipelining: 0 });
  const proxy = { url: '', lost: 0 };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      const key = String(req.headers['idempotency-key']);
      const time = (seen.get(key) ?? 0) + 1;
      seen.set(key, time);
      try {
        const reply = await fetchWith(`${target}${req.url}`, {
          dispatcher,
          method: req.method ?? 'GET',
          headers: {
            'Content-Type': 'application/json',
            'X-Api-Key': String(req.headers['x-api-key']),
            'Idempotency-Key': key,
          },
          ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
        });
        const text = await reply.text();
        // The key decides how many replies are lost: zero to three, with equal probability.
        if (time <= Number.parseInt(key.slice(-1), 16) % (MAX_LOST + 1) && reply.status === 200) {
          proxy.lost++;
          req.socket.destroy();
        } else res.writeHead(reply.status, Object.fromEntries(reply.headers)).end(text);
      } catch {
        req.socket.destroy();
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(proxy, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
      await dispatcher.close();
    },
  });
}

export type Losing = { relayerUrl: string; accountKey: string; usageKey: string; count: number };

/**
 * Fires runs until `count` replies are lost. Rejects unless every run succeeded with its stored reply, had one attempt more than lost
 * replies, and was charged once.
 */
export async function loseReplies(
  { relayerUrl, accountKey, usageKey, count }: Losing,
  onProgress: (text: string) => void = () => {},
): Promise<{ lost: number; runs: number }> {
  await using proxy = await losingProxy(relayerUrl);
  const service = await startService({ RELAYER_URLS: proxy.url });
  try {
    const { db, context } = service;
    const { userId } = await service.newAgent();
    const id = crypto.randomUUID();
    const trigger = await addTrigger(db, userId, {
      id,
      usageApiKey: context.sealer.seal(usageKey, id),
      actionCode: 'function main({ n }) { return { n, once: crypto.randomUUID() } }',
      maxConcurrentRuns: 12,
    });
    let made = 0;
    let saidAt = 0;
    let movedAt = Date.now();
    let moved = -1;
    for (;;) {
      const open = made - (await db.$count(runs, isNotNull(runs.finishedAt)));
      if (open === 0 && proxy.lost >= count) break;
      // Up to 200 open runs, most of which wait for a retry.
      for (let room = 200 - open; room > 0 && proxy.lost + 1.5 * open < count; room--)
        await acceptRun(context, trigger, { input: { n: ++made } });
      if (proxy.lost - made !== moved) [moved, movedAt] = [proxy.lost - made, Date.now()];
      if (Date.now() - movedAt > DEADLINE_MS) throw new Error(`no progress: ${open} open runs`);
      if (proxy.lost - saidAt >= 500) {
        saidAt = proxy.lost;
        onProgress(`${proxy.lost} of ${count} replies lost, ${made} runs`);
      }
      await delay(100);
    }
    const stored = await db.select().from(runs).orderBy(asc(runs.createdAt));
    let seconds = 0;
    for (const { status, attempt, idempotencyKey, input, response, costMicros, durationMs } of stored) {
      const lost = Number.parseInt(idempotencyKey.slice(-1), 16) % (MAX_LOST + 1);
      const startedSeconds = Math.max(1, Math.ceil((durationMs ?? 0) / 1_000));
      seconds += startedSeconds;
      const isRight =
        status === 'success' &&
        attempt === 1 &&
        costMicros === 10_000 * startedSeconds &&
        (response as { n: number }).n === input.n;
      if (!isRight)
        throw new Error(`a run with ${lost} lost replies: ${JSON.stringify({ status, attempt, response })}`);
    }
    if ((await db.$count(attempts)) !== stored.length) throw new Error('a lost reply counted as an attempt');
    const entries = await readLedger(getFrom(relayerUrl, accountKey));
    const paid = entries.filter(({ kind, reason }) => kind === 'capture' && reason.startsWith('run '));
    if (paid.length !== seconds) throw new Error(`${paid.length} charges for ${seconds} seconds of runs`);
    return { lost: proxy.lost, runs: stored.length };
  } finally {
    await service.dispose();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { count: { type: 'string', default: '10000' } } });
  const count = Number(values.count);
  if (!Number.isSafeInteger(count) || count < 1) {
    console.error('node triggers/test/lost-replies.ts [--count N]');
    process.exit(2);
  }
  const dataDir = await temporaryDataDir();
  try {
    await using stack = await startStack({ dataDir, env: testEnvironment, isTemporary: true });
    const ask = async (path: string, body: unknown, key = '') => {
      const headers = { 'Content-Type': 'application/json', ...(key && { 'X-Api-Key': key }) };
      const reply = await fetch(`${stack.baseUrl}/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return (await reply.json()) as Record<string, string>;
    };
    const { api_key: accountKey = '' } = await ask('new_account', {
      account_name: 'lost replies',
      account_description: '',
    });
    const { usage_api_key: usageKey = '' } = await ask(
      'add_usage_api_key',
      { execute_in_groups: [0] },
      accountKey,
    );
    const options = { relayerUrl: stack.url, accountKey, usageKey, count };
    const { lost, runs } = await loseReplies(options, console.log);
    console.log(`${lost} lost replies of ${runs} runs: each was executed and charged once`);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
