/** Actions over HTTP: "hello", and one that signs. Baseline: `deno run` of an empty file. */
import { readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@latchkey/stack';
import { startForked } from '@latchkey/testing/forked';
import {
  type Comparison,
  type CpuMeter,
  compareBlocks,
  type Samples,
  summarize,
  warm,
} from '@latchkey/testing/measure';
import { processTree } from '@latchkey/testing/process-tree';
import { until } from '@latchkey/testing/until';
import { type Address, type Hex, verifyMessage } from 'viem';
import type { DenoRuns } from './bare-deno.ts';
import { call, newAccount } from './client.ts';
import { openCpuMeter } from './cpu.ts';
import type { HttpRequest, Load } from './load.ts';
import { CLIENTS, type Measured } from './rows.ts';

/** With the default limit per account, they can have more runs in flight than the maximum number of clients. */
const ACCOUNTS = 4;
const MESSAGE = 'bench';
const PER_SECOND = 3;
/** Time in which new processes of the pool warm up. They do not report when they have. */
const WARM_MS = 1_500;
const POOL_DEADLINE_MS = 60_000;
const HEALTH_PER_SECOND = 20;

const helloCode = `async function main() {
  return 'hello';
}`;
const signCode = `async function main({ pkpId, message }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage(message);
}`;

export type Runner = { hello: HttpRequest; sign: HttpRequest; usageKey: string; wallet: Address };

/** Opens an account with a wallet and a key that may run these actions, "hello" and one that signs. Checks one signature. */
export async function openRunner(baseUrl: string, ...codes: string[]): Promise<Runner> {
  const { key } = await newAccount(baseUrl);
  const create = <Reply>(path: string, body: object) => call<Reply>(`${baseUrl}/${path}`, { key, body });
  const { wallet_address: wallet } = await create<{ wallet_address: Address }>('create_wallet', {});
  const { group_id: group } = await create<{ group_id: string }>('add_group', {
    group_name: 'bench',
    group_description: '',
    pkp_ids_permitted: [wallet],
    cid_hashes_permitted: [],
  });
  for (const code of [helloCode, signCode, ...codes]) {
    const cid = await call<string>(`${baseUrl}/get_svc_action_ipfs_id`, { body: code });
    await create('add_action_to_group', { group_id: group, action_ipfs_cid: cid });
  }
  const { usage_api_key: usageKey } = await create<{ usage_api_key: string }>('add_usage_api_key', {
    execute_in_groups: [group],
  });
  const request = (body: object): HttpRequest => ({
    url: `${baseUrl}/svc_action`,
    headers: { 'X-Api-Key': usageKey },
    body: JSON.stringify(body),
    expected: '"has_error":false',
  });
  const signing = { code: signCode, js_params: { pkpId: wallet, message: MESSAGE } };
  const { response: signature } = await call<{ response: Hex }>(`${baseUrl}/svc_action`, {
    key: usageKey,
    body: signing,
  });
  if (!(await verifyMessage({ address: wallet, message: MESSAGE, signature })))
    throw new Error('the signature is wrong');
  return { hello: request({ code: helloCode }), sign: request(signing), usageKey, wallet };
}

/** Waits until no process of the pool is being started or used and the others are warm. Resolves to their number. */
export async function poolIsWarm({ metricsUrl }: { metricsUrl: string }): Promise<number> {
  const countIdle = async () => {
    const metrics = await (await fetch(metricsUrl)).text();
    const processes = (state: string) =>
      metrics.match(new RegExp(`^runtime_processes{state="${state}"} (\\d+)$`, 'm'))?.[1];
    return processes('starting') === '0' && processes('running') === '0' && Number(processes('idle'));
  };
  const idle = await until('the pool is full', countIdle, POOL_DEADLINE_MS);
  await delay(WARM_MS);
  return idle;
}

/** Returns the path of the Deno that the runner executes. */
function denoBinary({ pids }: Stack): string {
  const paths = processTree([pids.runner]).map((pid) => readlinkSync(`/proc/${pid}/exe`));
  const path = paths.find((path) => path.endsWith('/deno'));
  if (path === undefined) throw new Error('the runner has no action process');
  return path;
}

type Kind = 'hello' | 'sign';
type Options = { stack: Stack; meter: CpuMeter; count: number; requests: Record<Kind, HttpRequest[]> };

/** Runs at random times, whose processes wait in the pool. */
async function benchLatency(kind: Kind, { stack, meter, count, requests }: Options) {
  using load = startForked(new URL('load.ts', import.meta.url));
  const send = (runs: number): Promise<Samples> =>
    load.ask({ requests: requests[kind], count: runs, perSecond: PER_SECOND } satisfies Load);
  await warm((runs) => load.ask({ requests: requests[kind], count: runs, clients: 1 } satisfies Load), count);
  await poolIsWarm(stack);
  const stop = meter();
  const samples = await send(count);
  await poolIsWarm(stack);
  return { ...summarize(samples), cpuMs: stop() / count };
}

async function benchThroughput(
  kind: Kind,
  { stack, meter, count, requests }: Options,
): Promise<Comparison[]> {
  using load = startForked(new URL('load.ts', import.meta.url));
  using bare = startForked(new URL('bare-deno.ts', import.meta.url));
  const binary = denoBinary(stack);
  const poolSize = await poolIsWarm(stack);
  const comparisons: Comparison[] = [];
  for (const clients of CLIENTS) {
    // Without it, the first runs would use processes whose start is not in the time of the block.
    const leadIn = poolSize + clients;
    comparisons.push(
      await compareBlocks(
        { name: `run, ${kind}`, concurrency: clients, count },
        {
          service: (runs) =>
            load.ask({ requests: requests[kind], count: runs, clients, leadIn } satisfies Load),
          baseline: (runs) => bare.ask({ binary, count: runs, clients, leadIn } satisfies DenoRuns),
          meter,
          settle: () => poolIsWarm(stack),
        },
      ),
    );
  }
  return comparisons;
}

/** /health while 25 clients run actions without a pause. */
async function benchHealth({ stack, count, requests }: Options): Promise<number> {
  using load = startForked(new URL('load.ts', import.meta.url));
  using visitor = startForked(new URL('load.ts', import.meta.url));
  let isOver = false;
  const busy = (async () => {
    while (!isOver)
      await load.ask({ requests: requests.hello, count: 100, clients: Math.max(...CLIENTS) } satisfies Load);
  })();
  const visit = (visits: number): Promise<Samples> =>
    visitor.ask({
      requests: [{ url: `${stack.url}/health` }],
      count: visits,
      perSecond: HEALTH_PER_SECOND,
    } satisfies Load);
  await visit(10);
  const { p95Ms } = summarize(await Promise.race([visit(count), busy.then(() => visit(0))]));
  isOver = true;
  await busy;
  return p95Ms;
}

export async function benchRuns(stack: Stack, count: number): Promise<Measured> {
  const runners = await Promise.all(Array.from({ length: ACCOUNTS }, () => openRunner(stack.baseUrl)));
  const requests = { hello: runners.map(({ hello }) => hello), sign: runners.map(({ sign }) => sign) };
  await poolIsWarm(stack);
  const options = { stack, count: 2 * count, requests, meter: await openCpuMeter(stack) };
  const hello = await benchLatency('hello', options);
  // Its p99 has a goal: with fewer samples the p99 would be one of the slowest two.
  const sign = await benchLatency('sign', { ...options, count: 6 * count });
  const hellos = await benchThroughput('hello', options);
  const signs = await benchThroughput('sign', options);
  const rates = (comparisons: Comparison[]) => comparisons.map(({ ratioPerSecond }) => ratioPerSecond);
  return {
    values: {
      hello: [hello.p50Ms],
      sign: [sign.p50Ms, sign.p99Ms],
      runCpu: [hello.cpuMs, sign.cpuMs],
      helloRate: rates(hellos),
      signRate: rates(signs),
      health: [await benchHealth({ ...options, count: 4 * count })],
    },
    comparisons: [...hellos, ...signs],
  };
}
