/** Runs the forge scripts of this directory on the chain behind an RPC URL. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';
import { accountConfigAbi } from '@latchkey/protocol';
import {
  type Abi,
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
} from 'viem';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The struct of Plan.sol. */
type Code = { name: string; deployed: Address; codeHash: Hex; size: bigint; exists: boolean };
export type Call = { what: string; to: Address; data: Hex };
type Cut = { facetAddress: Address; action: number; functionSelectors: readonly Hex[] };
export type Report = {
  diamond: Address;
  codes: readonly Code[];
  cuts: readonly Cut[];
  calls: readonly Call[];
  ownerCalls: readonly Call[];
};

/** The estimate of a dry run, undefined without transactions. */
export type Estimate = {
  /** Gas per transaction, in order. */
  gas: bigint[];
  totalGas: number;
  gasPriceGwei: string;
  /** Cost at this gas price. */
  costEther: string;
};

export type Run = {
  script: 'Deploy' | 'Upgrade' | 'SetApiPayers' | 'Seed';
  functionName: string;
  args: readonly unknown[];
};

export class ForgeError extends Error {
  override readonly name = 'ForgeError';
}

export async function forgeBuild(): Promise<void> {
  await forge(['build', 'contracts', 'script'], {});
}

/** Runs a script without sending transactions. Resolves to the return value of its function. */
export async function simulate<Result>(
  rpcUrl: string,
  run: Run,
): Promise<{ result: Result; estimate: Estimate | undefined }> {
  // forge records dry runs by chain too, so each gets its own directory.
  const records = mkdtempSync(join(tmpdir(), 'latchkey-dry-run-'));
  try {
    const abi = readAbi(run.script);
    const lines = await runScript(rpcUrl, run, { FOUNDRY_BROADCAST: records }, []);
    const { returned } = lineWith<{ returned: Hex }>(lines, 'returned');
    return {
      result: decodeFunctionResult({
        abi,
        functionName: run.functionName,
        data: returned,
      }) as Result,
      estimate: readEstimate(lines),
    };
  } finally {
    rmSync(records, { recursive: true, force: true });
  }
}

/** Runs a script and sends its transactions, each after the previous one was mined. */
export async function broadcast(rpcUrl: string, key: Hex, run: Run): Promise<void> {
  await runScript(rpcUrl, run, { DEPLOYER_KEY: key }, ['--broadcast', '--slow']);
}

function readAbi(script: string): Abi {
  const file = join(root, `out/${script}.s.sol/${script}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi }).abi;
}

/** Passes URL and key in the environment: every user of the machine can read arguments. */
async function runScript(
  rpcUrl: string,
  { script, functionName, args }: Run,
  env: NodeJS.ProcessEnv,
  options: string[],
): Promise<object[]> {
  const abi = readAbi(script);
  const data = encodeFunctionData({ abi, functionName, args });
  const file = `script/${script}.s.sol:${script}`;
  const connection = { FOUNDRY_ETH_RPC_URL: rpcUrl, DEPLOYER_KEY: undefined };
  const output = await forge(['script', file, '--sig', data, '--json', ...options], {
    ...connection,
    ...env,
  });
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as object);
  // A script that reverts ends with exit code 0 and returns its revert data.
  const { success, returned } = lineWith<{ success: boolean; returned: Hex }>(lines, 'success');
  if (!success) throw new ForgeError(`${script} refuses: ${describeRevert(abi, returned)}`);
  return lines;
}

function describeRevert(abi: Abi, data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: [...abi, ...accountConfigAbi], data });
    return `${errorName}(${args?.join(', ') ?? ''})`;
  } catch {
    return data;
  }
}

function lineWith<Line>(lines: object[], key: keyof Line & string): Line {
  const line = lines.find((candidate) => key in candidate);
  if (!line) throw new ForgeError(`forge returned no "${key}"`);
  return line as Line;
}

function readEstimate(lines: object[]): Estimate | undefined {
  if (!lines.some((line) => 'estimated_total_gas_used' in line)) return undefined;
  const total = lineWith<Record<string, string | number>>(lines, 'estimated_total_gas_used');
  const record = lineWith<{ transactions: string }>(lines, 'transactions');
  const { transactions } = JSON.parse(readFileSync(record.transactions, 'utf8')) as {
    transactions: { transaction: { gas: Hex } }[];
  };
  return {
    gas: transactions.map(({ transaction }) => BigInt(transaction.gas)),
    totalGas: Number(total.estimated_total_gas_used),
    gasPriceGwei: String(total.estimated_gas_price),
    costEther: String(total.estimated_amount_required),
  };
}

/** @returns The standard output of forge. */
const forge = (args: string[], env: NodeJS.ProcessEnv): Promise<string> =>
  withForgeCache((cache) => runForge(args, { ...process.env, ...env, ...cache }));

function runForge(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(foundryBinary('forge'), args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new ForgeError(errors.trim() || output.trim()));
    });
  });
}
