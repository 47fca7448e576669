/** Runs sequences on a local chain: every write is a transaction in its own block, every view an eth_call. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';
import { parseDeployment } from '@latchkey/protocol';
import { choosePorts, root } from '@latchkey/stack';
import { type Address, type Hex, numberToHex } from 'viem';
import { encodeCall, isView, type Log } from './abi.ts';
import { CHAIN_ID, OWNER, START } from './pools.ts';
import type { Executor, Made, Result, Section } from './replay.ts';
import { CONTRACT_WALLET, CONTRACT_WALLET_CODE } from './signatures.ts';

/** The first account that anvil funds. */
const DEPLOYER_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const GAS = numberToHex(500_000_000);
const STARTS_WITHIN_MS = 30_000;

type Rpc = <T>(method: string, ...params: unknown[]) => Promise<T>;

class RpcError extends Error {
  readonly data: Hex;
  constructor(message: string, data: Hex) {
    super(message);
    this.data = data;
  }
}

/** Starts a chain with a contract of OWNER for the duration of `use`. */
export async function withChain<T>(use: (execute: Executor) => Promise<T>): Promise<T> {
  const { chain } = await choosePorts({ chain: 0 });
  const url = `http://127.0.0.1:${chain}`;
  const options = ['--quiet', '--port', String(chain), '--hardfork', 'prague', '--auto-impersonate'];
  // Accounts need no funds, and the blocks before the first sequence end before it starts.
  const free = ['--base-fee', '0', '--gas-price', '0', '--gas-limit', '1000000000'];
  const time = ['--timestamp', String(START - 100_000n)];
  const anvil = spawn(foundryBinary('anvil'), [...options, ...free, ...time], { stdio: 'ignore' });
  const exited = once(anvil, 'exit');
  try {
    const rpc = connect(url);
    const deadline = performance.now() + STARTS_WITHIN_MS;
    while (!(await rpc('eth_chainId').catch(() => false))) {
      if (performance.now() > deadline) throw new Error('the chain does not answer');
      await delay(50);
    }
    const address = await deploy(url);
    await rpc('eth_sendTransactionSync', {
      from: OWNER,
      to: address,
      data: encodeCall({ name: 'acceptOwnership', args: [] }),
      gasPrice: '0x0',
    });
    await rpc('anvil_setCode', CONTRACT_WALLET, CONTRACT_WALLET_CODE);
    return await use({ contract: address, run: (_owner, sections) => execute(rpc, address, sections) });
  } finally {
    anvil.kill('SIGKILL');
    await exited;
  }
}

function connect(url: string): Rpc {
  return async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const { result, error } = (await response.json()) as {
      result: never;
      error?: { message: string; data?: Hex };
    };
    if (error !== undefined) throw new RpcError(error.message, error.data ?? '0x');
    return result;
  };
}

async function deploy(url: string): Promise<Address> {
  await mkdir(join(root, '.data'), { recursive: true });
  const directory = await mkdtemp(join(root, '.data', 'differential-'));
  try {
    const env = {
      ...process.env,
      OWNER,
      API_PAYERS: '',
      DEPLOYMENTS_DIR: relative(root, directory),
      FOUNDRY_BROADCAST: join(directory, 'broadcast'),
    };
    const target = ['script', 'script/Deploy.s.sol:Deploy', '--rpc-url', url];
    const args = [...target, '--broadcast', '--private-key', DEPLOYER_KEY];
    await withForgeCache((cache) =>
      promisify(execFile)(foundryBinary('forge'), args, { cwd: root, env: { ...env, ...cache } }),
    );
    return parseDeployment(JSON.parse(await readFile(join(directory, `${CHAIN_ID}.json`), 'utf8'))).address;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function execute(rpc: Rpc, address: Address, sections: Section<Made>[]): Promise<Section<Result>[]> {
  const run = async (steps: Made[]): Promise<Result[]> => {
    const results: Result[] = [];
    for (const step of steps) results.push(await make(rpc, address, step));
    return results;
  };
  const done: Section<Result>[] = [];
  for (const { preparation, sequences } of sections) {
    const before = await rpc('evm_snapshot');
    const section: Section<Result> = { preparation: await run(preparation), sequences: [] };
    for (const steps of sequences) {
      const snapshot = await rpc('evm_snapshot');
      section.sequences.push(await run(steps));
      await rpc('evm_revert', snapshot);
    }
    await rpc('evm_revert', before);
    done.push(section);
  }
  return done;
}

async function make(rpc: Rpc, address: Address, { caller, now, call }: Made): Promise<Result> {
  const transaction = { from: caller, to: address, data: encodeCall(call), gas: GAS, gasPrice: '0x0' };
  const called = await rpc<Hex>('eth_call', transaction, 'latest', {}, { time: numberToHex(now) }).then(
    (returned) => ({ success: true, returned }),
    (error: RpcError) => ({ success: false, returned: error.data }),
  );
  if (isView(call.name)) return { ...called, logs: [] };
  await rpc('evm_setNextBlockTimestamp', Number(now));
  const receipt = await rpc<{ status: Hex; logs: Log[] }>('eth_sendTransactionSync', transaction);
  const success = receipt.status === '0x1';
  if (success !== called.success)
    throw new Error(`${call.name}: the transaction and its eth_call end differently`);
  return { ...called, logs: receipt.logs };
}
