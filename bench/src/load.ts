// Forked process: receives loads as messages, sends their requests and answers with the durations.
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { answer } from '@latchkey/testing/forked';
import { measure, measureSteadily, type Samples, withClientShare } from '@latchkey/testing/measure';
import { Agent, request } from 'undici';

export type HttpRequest = {
  url: string;
  headers?: Record<string, string>;
  /** Makes it a POST. */
  body?: string;
  /** Text that the reply must contain. */
  expected?: string;
};

export type Load = {
  /** The requests are sent in turn. */
  requests: HttpRequest[];
  count: number;
} & Arrivals;

export type Arrivals =
  /** Requests without a pause. `leadIn`: number of untimed requests first, under the same load. */
  | { clients: number; leadIn?: number }
  /** A Poisson process: requests at random times, whether or not earlier ones were answered. */
  | { perSecond: number };

const dispatcher = new Agent({ connections: 64 });

async function send({ url, headers = {}, body, expected = '' }: HttpRequest): Promise<void> {
  const reply = await request(url, {
    dispatcher,
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: body ?? null,
  });
  const bytes = Buffer.from(await reply.body.arrayBuffer());
  if (reply.statusCode !== 200 || !bytes.includes(expected))
    throw new Error(`${url} returned ${reply.statusCode}: ${bytes}`);
}

async function sendAtRandom(run: () => Promise<void>, count: number, perSecond: number): Promise<Samples> {
  const durationsMs: number[] = [];
  let atMs = performance.now();
  const replies: Promise<void>[] = [];
  for (let sent = 0; sent < count; sent++) {
    atMs += (-Math.log(1 - Math.random()) * 1_000) / perSecond;
    await delay(Math.max(0, atMs - performance.now()));
    const startedAt = performance.now();
    replies.push(run().then(() => void durationsMs.push(performance.now() - startedAt)));
  }
  await Promise.all(replies);
  return { durationsMs, wallMs: Number.NaN };
}

answer(({ requests, count, ...arrivals }: Load): Promise<Samples> => {
  let sent = 0;
  const run = () => send(requests[sent++ % requests.length] as HttpRequest);
  return withClientShare(() => {
    if ('perSecond' in arrivals) return sendAtRandom(run, count, arrivals.perSecond);
    const { clients: concurrency, leadIn } = arrivals;
    return leadIn === undefined
      ? measure({ run }, count, concurrency)
      : measureSteadily(run, { count, concurrency, leadIn });
  });
});
