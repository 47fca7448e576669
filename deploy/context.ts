/** Shared parts of the commands: the chain, the files, and sending transactions. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Deployment, parseDeployment } from '@latchkey/protocol';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  type PublicClient,
  publicActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { broadcast, type Call, type Report, type Run } from './forge.ts';
import { InputError, type Network, readKey, readOwnerKey, readRpcUrl } from './inputs.ts';
import { transactionBuilderFile } from './safe.ts';

const POLL_MS = 500;

/** The chain differs from the wanted state; one line per difference. */
export class DifferenceError extends Error {
  override readonly name = 'DifferenceError';
}

export type Context = {
  network: Network;
  client: PublicClient;
  rpcUrl: string;
  /** Undefined in a dry run. */
  key: Hex | undefined;
  /** Of an owner that is an ordinary address. Undefined when a Safe sends the owner's transactions. */
  ownerKey: Hex | undefined;
  /** Directory of `<chainId>.json` and the files for the Safe. */
  directory: string;
};

/** Throws an InputError when the environment is incomplete or the node serves another chain. */
export async function openContext(network: Network, isBroadcast: boolean): Promise<Context> {
  const rpcUrl = readRpcUrl();
  const key = isBroadcast ? readKey('DEPLOYER_KEY', network.deployer) : undefined;
  const ownerKey = isBroadcast ? readOwnerKey(network) : undefined;
  const client: PublicClient = createPublicClient({ cacheTime: 0, transport: http(rpcUrl) });
  const chainId = await client.getChainId();
  if (chainId !== network.chainId)
    throw new InputError(`The node has chain id ${chainId}; ${network.name} is ${network.chainId}`);
  return { network, client, rpcUrl, key, ownerKey, directory: process.env.DEPLOYMENTS_DIR || 'deployments' };
}

/**
 * Sends the calls of a plan and waits until they are confirmed.
 * @returns False in a dry run: nothing was sent.
 */
export async function send(context: Context, calls: readonly Call[], run: Run): Promise<boolean> {
  const { network, client, rpcUrl, key } = context;
  if (key === undefined) {
    console.log('\nDry run: nothing was sent');
    return false;
  }
  if (calls.length === 0) return true;
  await requireNonePending(client, network.deployer);
  await broadcast(rpcUrl, key, run);
  const confirmed = (await client.getBlockNumber()) + BigInt(network.confirmations) - 1n;
  if (network.confirmations > 1) console.log(`Waiting for ${network.confirmations} confirmations`);
  while ((await client.getBlockNumber()) < confirmed) await delay(POLL_MS);
  console.log(`Sent and confirmed: ${calls.length}`);
  return true;
}

/** Sends transactions with the owner's key, one after another, and waits until each is confirmed. */
export async function sendAsOwner(
  { network, client, rpcUrl }: Context,
  ownerKey: Hex,
  calls: readonly Call[],
): Promise<void> {
  await requireNonePending(client, network.owner);
  const account = privateKeyToAccount(ownerKey);
  const wallet = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions);
  for (const { what, to, data } of calls) {
    const hash = await wallet.sendTransaction({ to, data, chain: null });
    const { confirmations } = network;
    const { status } = await wallet.waitForTransactionReceipt({ hash, confirmations });
    if (status !== 'success')
      throw new InputError(
        `The transaction ${hash} (${what}) reverted: look at it in an explorer, and run the command again`,
      );
    console.log(`Sent by the owner and confirmed: ${what}`);
  }
}

async function requireNonePending(client: PublicClient, address: Address): Promise<void> {
  const waiting =
    (await client.getTransactionCount({ address, blockTag: 'pending' })) -
    (await client.getTransactionCount({ address, blockTag: 'latest' }));
  if (waiting > 0)
    throw new InputError(`${waiting} transactions of ${address} are pending: run again when they are mined`);
}

export function requireNone(differences: string[]): void {
  if (differences.length !== 0) throw new DifferenceError(differences.join('\n'));
}

// ---------------------------------------------------------------------------------------------------- files

export function deploymentFile({ directory, network }: Context): string {
  return join(directory, `${network.chainId}.json`);
}

export function readDeployment(context: Context): Deployment | undefined {
  let text: string;
  try {
    text = readFileSync(deploymentFile(context), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return parseDeployment(JSON.parse(text));
}

export function requireDeployment(context: Context): Deployment {
  const deployment = readDeployment(context);
  if (!deployment) throw new InputError(`${deploymentFile(context)} is missing: deploy first`);
  return deployment;
}

/** Writes `<chainId>.json` unless it is up to date. */
export function recordDeployment(
  context: Context,
  diamond: Address,
  startBlock: number,
  codes: Report['codes'],
): void {
  const file = deploymentFile(context);
  const facets = codes
    .filter(({ name }) => name !== 'AccountConfig' && name !== 'Timelock')
    .map(({ name, deployed }) => [name, deployed]);
  const deployment: Deployment = {
    chainId: context.network.chainId,
    address: diamond,
    startBlock,
    facets: Object.fromEntries(facets),
  };
  if (JSON.stringify(readDeployment(context)) === JSON.stringify(deployment)) return;
  replaceFile(context, file, `${JSON.stringify(deployment, null, 2)}\n`);
}

/** Writes the owner's transactions to `<chainId>.safe.<name>.json`. */
export async function recordForSafe(context: Context, name: string, calls: readonly Call[]): Promise<void> {
  const { network, client, directory } = context;
  const { timestamp } = await client.getBlock();
  const content = transactionBuilderFile({
    chainId: network.chainId,
    safe: network.owner,
    name: `AccountConfig: ${name}`,
    description: calls.map(({ what }) => what).join(', '),
    createdAtMs: Number(timestamp) * 1000,
    transactions: calls,
  });
  replaceFile(context, join(directory, `${network.chainId}.safe.${name}.json`), content);
}

function replaceFile({ directory }: Context, file: string, content: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
  console.log(`Written: ${file}`);
}
