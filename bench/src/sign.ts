/** An action that signs, over HTTP. Baseline: the bare process of the runtime with the same bundle. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultLimits } from '@latchkey/runner-protocol';
import type { Stack } from '@latchkey/stack';
import { type Address, type Hex, verifyMessage } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { type ActionProcess, startProcess } from '../../runner/src/action-process.ts';
import { buildChildScript } from '../../runner/src/bundle.ts';
import { call, newAccount } from './client.ts';
import { type Comparison, compare, type Task } from './measure.ts';

const MESSAGE = 'bench';
/** Time that a waiting process needs to warm up; it does not report the end. */
const WARM_MS = 1_000;
const POOL_DEADLINE_MS = 60_000;
const MAX_FRAME_BYTES = 1024 * 1024;

const code = `async function main({ pkpId, message }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage(message);
}`;

async function expectSignature(address: Address, signature: Hex): Promise<void> {
  if (!(await verifyMessage({ address, message: MESSAGE, signature })))
    throw new Error('the signature is wrong');
}

/** The service: authentication, permission check, a process from the pool, the key, the signature. */
async function serviceTask({ baseUrl }: Stack): Promise<Task> {
  const { key } = await newAccount(baseUrl);
  const { wallet_address: wallet } = await call<{ wallet_address: Address }>(`${baseUrl}/create_wallet`, {
    key,
    body: {},
  });
  const { group_id: group } = await call<{ group_id: string }>(`${baseUrl}/add_group`, {
    key,
    body: {
      group_name: 'bench',
      group_description: '',
      pkp_ids_permitted: [wallet],
      cid_hashes_permitted: [],
    },
  });
  const cid = await call<string>(`${baseUrl}/get_svc_action_ipfs_id`, { body: code });
  await call(`${baseUrl}/add_action_to_group`, { key, body: { group_id: group, action_ipfs_cid: cid } });
  const { usage_api_key: usageKey } = await call<{ usage_api_key: string }>(`${baseUrl}/add_usage_api_key`, {
    key,
    body: { execute_in_groups: [group] },
  });
  return {
    async run() {
      const reply = await call<{ response: Hex }>(`${baseUrl}/svc_action`, {
        key: usageKey,
        body: { code, js_params: { pkpId: wallet, message: MESSAGE } },
      });
      await expectSignature(wallet, reply.response);
    },
  };
}

/** Resolves when no process of the pool is being started or used, and the waiting ones had time to warm up. */
async function poolIsWarm({ metricsUrl }: Stack): Promise<void> {
  const deadline = Date.now() + POOL_DEADLINE_MS;
  const isQuiet = async () => {
    const metrics = await (await fetch(metricsUrl)).text();
    const processes = (state: string) =>
      metrics.match(new RegExp(`^runtime_processes{state="${state}"} (\\d+)$`, 'm'))?.[1];
    return processes('starting') === '0' && processes('running') === '0' && processes('idle') !== '0';
  };
  while (!(await isQuiet())) {
    if (Date.now() > deadline) throw new Error('the pool does not fill');
    await delay(20);
  }
  await delay(WARM_MS);
}

/** The bare process: it has its key and checks no permission. */
async function bareProcess(directory: string) {
  const scriptPath = join(directory, 'runtime.js');
  const cwd = join(directory, 'empty');
  await writeFile(scriptPath, await buildChildScript());
  await mkdir(cwd);
  const privateKey = generatePrivateKey();
  const address = privateKeyToAddress(privateKey);
  const start = (): Promise<ActionProcess> =>
    startProcess({
      scriptPath,
      cwd,
      cacheDir: join(directory, 'deno'),
      memoryLimitMb: defaultLimits.memoryLimitMb,
      timeoutMs: defaultLimits.timeoutMs,
      maxFrameBytes: MAX_FRAME_BYTES,
    });
  const sign = async (process: ActionProcess): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<Hex>();
    process.onMessage = (message, body) => {
      if (message.type === 'call')
        void process.send({ type: 'reply', id: message.id, ok: true, value: privateKey });
      else if (message.type === 'done') resolve(JSON.parse(Buffer.from(body).toString()));
      else if (message.type === 'failed') reject(new Error(message.message));
    };
    void process.exited.then(({ stderrTail }) => reject(new Error(`the process ended: ${stderrTail}`)));
    await process.send(
      {
        type: 'run',
        jsParams: JSON.stringify({ pkpId: address, message: MESSAGE }),
        maxResponseBytes: defaultLimits.maxResponseBytes,
        maxRequestBodyBytes: 0,
        maxFrameBytes: MAX_FRAME_BYTES,
      },
      Buffer.from(code),
    );
    await expectSignature(address, await promise);
    process.kill();
  };
  return { start, sign };
}

export async function benchSign(stack: Stack, count: number, concurrency: number): Promise<Comparison[]> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
  try {
    const service = await serviceTask(stack);
    const { start, sign } = await bareProcess(directory);
    const warm = await compare('sign, a warm process waits', {
      count,
      concurrency: 1,
      service: { prepare: () => poolIsWarm(stack), run: service.run },
      baseline: {
        async prepare() {
          const process = await start();
          await delay(WARM_MS);
          return process;
        },
        run: sign,
      },
    });
    const sustained = await compare('sign, sustained throughput', {
      count,
      concurrency,
      service,
      baseline: { run: async () => sign(await start()) },
    });
    return [warm, sustained];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
