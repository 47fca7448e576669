/** Starts local chains with the ids of real networks and a multisig as the owner, and runs the commands on them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundle } from '@latchkey/bundle';
import { foundryBinary } from '@latchkey/foundry';
import { accountConfigAbi } from '@latchkey/protocol';
import { choosePorts, devAccount } from '@latchkey/stack';
import {
  type Abi,
  type Address,
  createTestClient,
  getContractAddress,
  type Hex,
  http,
  publicActions,
  serializeSignature,
  walletActions,
} from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { expect } from 'vitest';
import { root } from './forge.ts';

export const deployer = devAccount(0);
export const stranger = devAccount(1);
/** Creates the multisig in its first transaction, so that it has the same address on every chain. */
const safeCreator = devAccount(2);
const signers = [devAccount(3), devAccount(4), devAccount(5)];
export const safe = getContractAddress({ from: safeCreator.address, nonce: 0n });

export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

function connect(url: string) {
  return createTestClient({ mode: 'anvil', cacheTime: 0, pollingInterval: 20, transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
}

export async function startTestChain(chainId: number) {
  const { anvil } = await choosePorts({ anvil: 0 });
  const args = ['--chain-id', String(chainId), '--port', String(anvil), '--silent'];
  const child = spawn(foundryBinary('anvil'), args, { stdio: 'ignore' });
  const stop = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  const url = `http://127.0.0.1:${anvil}`;
  const client = connect(url);
  try {
    await until('anvil answers', async () => (await client.getChainId().catch(() => 0)) === chainId);
    const { abi, bytecode } = artifact('Multisig');
    const args = [signers.map(({ address }) => address), 2n];
    await sendAs(client, safeCreator, async (account) =>
      client.deployContract({ account, chain: null, abi, bytecode: bytecode.object, args }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, client, [Symbol.asyncDispose]: stop };
}

/** Returns the compiled artifact of a test contract. */
export function artifact(name: string, file = name): { abi: Abi; bytecode: { object: Hex } } {
  return JSON.parse(readFileSync(join(root, `out/${file}.sol/${name}.json`), 'utf8'));
}

/** Sends a transaction and waits until it is mined; resolves to its receipt. */
export async function sendAs(
  client: ReturnType<typeof connect>,
  { privateKey }: { privateKey: Hex },
  transaction: (account: ReturnType<typeof privateKeyToAccount>) => Promise<Hex>,
) {
  const hash = await transaction(privateKeyToAccount(privateKey));
  const receipt = await client.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe('success');
  return receipt;
}

/** Executes a call of the multisig: two of the three signers sign, a stranger sends. */
export async function execute({ client }: TestChain, to: Address, data: Hex): Promise<void> {
  const { abi } = artifact('Multisig');
  const call = { address: safe, abi } as const;
  const hash = (await client.readContract({ ...call, functionName: 'hashOf', args: [to, data] })) as Hex;
  const signatures = await Promise.all(
    signers.map(async ({ privateKey }, index) =>
      index === 1 ? '0x' : serializeSignature(await sign({ hash, privateKey })),
    ),
  );
  await sendAs(client, stranger, async (account) =>
    client.writeContract({
      ...call,
      account,
      chain: null,
      functionName: 'execTransaction',
      args: [to, data, signatures],
    }),
  );
}

export function read<
  Name extends 'owner' | 'pendingOwner' | 'api_payers' | 'adminApiPayerAccount' | 'facetAddresses',
>({ client }: TestChain, address: Address, functionName: Name) {
  return client.readContract({ address, abi: accountConfigAbi, functionName });
}

// -------------------------------------------------------------------------------------------------- commands

const program = await bundle('deploy/main.ts');

export type Ended = { code: number | null; output: string };

/** Command lines that succeeded: `npm run …` as in the runbook. */
export const ranCommands = new Set<string>();

/** A directory for networks.json, the deployments and forge's records. */
export class WorkingDirectory {
  readonly directory: string;
  constructor(directory: string) {
    this.directory = directory;
  }

  get networksFile(): string {
    return join(this.directory, 'networks.json');
  }

  get deployments(): string {
    return join(this.directory, 'deployments');
  }

  writeNetworks(networks: object): void {
    writeFileSync(this.networksFile, JSON.stringify(networks));
  }

  files(): string[] {
    try {
      return readdirSync(this.deployments).sort();
    } catch {
      return [];
    }
  }

  readJson(name: string) {
    return JSON.parse(readFileSync(join(this.deployments, name), 'utf8'));
  }

  /** Starts `npm run <line>` without npm and from a bundle, in its own process group. */
  start(line: string, rpcUrl: string, env: NodeJS.ProcessEnv = {}) {
    const [command = '', dashes, ...options] = line.split(' ');
    expect(dashes).toBe('--');
    const args = [program, command, ...options, '--networks', this.networksFile];
    const child = spawn(process.execPath, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        RPC_URL: rpcUrl,
        DEPLOYER_KEY: deployer.privateKey,
        DEPLOYMENTS_DIR: this.deployments,
        FOUNDRY_BROADCAST: join(this.directory, 'broadcast'),
        ...env,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        if (code === 0) ranCommands.add(line);
        resolve({ code, output });
      });
    });
    /** Kills the command and its forge. */
    const killAll = () => process.kill(-(child.pid ?? 0), 'SIGKILL');
    return { ended, killAll, output: () => output };
  }

  run(line: string, { url }: { url: string }, env?: NodeJS.ProcessEnv): Promise<Ended> {
    return this.start(line, url, env).ended;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Polls until a condition holds, for at most 20 seconds. */
export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within 20 seconds`);
    await delay(20);
  }
}
