/** Transactions of wallets. Baseline: a run that signs with ethers and sends by itself. */
import type { Stack } from '@latchkey/stack';
import { startForked } from '@latchkey/testing/forked';
import { compareBlocks, type Samples } from '@latchkey/testing/measure';
import { createTestClient, http } from 'viem';
import { foundry } from 'viem/chains';
import { call } from './client.ts';
import { openCpuMeter } from './cpu.ts';
import type { HttpRequest, Load } from './load.ts';
import type { Measured } from './rows.ts';
import { openRunner, poolIsWarm } from './runs.ts';

const RECEIVER = '0x00000000000000000000000000000000000000AA';
/** Runs, and senders in each. */
const RUNS = 2;
const SENDERS = 8;
/** Of a run. */
const MAX_SENDS = 50;

const sendCode = `async function main({ pkpId, chainId, to }) {
  return Svc.Actions.sendTransaction({ pkpId, chainId, to, value: 1 });
}`;
const ownCode = `async function main({ pkpId, chainId, rpcUrl, to }) {
  const provider = new ethers.providers.StaticJsonRpcProvider(rpcUrl, chainId);
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }), provider);
  const { hash, nonce } = await wallet.sendTransaction({ to, value: 1 });
  return { hash, nonce };
}`;
/** Repeats what the service refuses: too many are pending. */
const manyCode = `async function main({ pkpId, chainId, to, senders, sends }) {
  const send = () => Svc.Actions.sendTransaction({ pkpId, chainId, to, value: 1 })
    .catch((error) => error.name === 'TransactionError' ? new Promise((resolve) => setTimeout(resolve, 5)).then(send) : Promise.reject(error));
  const sender = async () => {
    for (let left = sends; left > 0; left--) await send();
  };
  await Promise.all(Array.from({ length: senders }, sender));
}`;

/** Opens an account with a wallet that has funds. Returns a function that makes the request of a run. */
async function openSender({ rpcUrl, chainId }: Stack, baseUrl: string, code: string) {
  const { sign, wallet } = await openRunner(baseUrl, code);
  const client = createTestClient({ mode: 'anvil', chain: foundry, transport: http(rpcUrl) });
  await client.setBalance({ address: wallet, value: 10n ** 24n });
  const params = { pkpId: wallet, chainId, rpcUrl, to: RECEIVER };
  return (more: object = {}): HttpRequest => ({
    ...sign,
    body: JSON.stringify({ code, js_params: { ...params, ...more } }),
  });
}

/** Returns a function that runs an action which sends one transaction. */
export async function openSend(stack: Stack, baseUrl: string): Promise<() => Promise<unknown>> {
  const { url, headers, body = '' } = (await openSender(stack, baseUrl, sendCode))();
  const key = headers?.['X-Api-Key'] ?? '';
  return () => call(url, { key, body: JSON.parse(body) });
}

/** Resolves to the sends per second of one wallet by all runs that an account can have. */
async function measureRate(stack: Stack, count: number): Promise<number> {
  using load = startForked(new URL('load.ts', import.meta.url));
  const request = await openSender(stack, stack.baseUrl, manyCode);
  const sendMany = async (perSender: number): Promise<number> => {
    await poolIsWarm(stack);
    const sends = Math.min(perSender, Math.floor(MAX_SENDS / SENDERS));
    const runs = RUNS * Math.ceil(perSender / sends);
    const requests = [request({ senders: SENDERS, sends })];
    const { wallMs }: Samples = await load.ask({ requests, count: runs, clients: RUNS } satisfies Load);
    return (runs * SENDERS * sends * 1_000) / wallMs;
  };
  await sendMany(Math.ceil(count / 5));
  return await sendMany(count);
}

export async function benchSends(stack: Stack, count: number): Promise<Measured> {
  const rate = await measureRate(stack, count);
  using load = startForked(new URL('load.ts', import.meta.url));
  const service = (await openSender(stack, stack.baseUrl, sendCode))();
  const baseline = (await openSender(stack, stack.baseUrl, ownCode))();
  const run = (request: HttpRequest) => (size: number) =>
    load.ask<Samples>({ requests: [request], count: size, clients: 1 } satisfies Load);
  const send = await compareBlocks(
    { name: 'send in a run', concurrency: 1, count: 2 * count },
    {
      service: run(service),
      baseline: run(baseline),
      meter: await openCpuMeter(stack),
      settle: () => poolIsWarm(stack),
    },
  );
  return {
    values: { send: [send.ratioP50], sendRate: [rate] },
    comparisons: [send],
  };
}
