/** Key nodes of a test, in this process, on a chain of their own. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@latchkey/http';
import { createIdentity, type Identity } from '@latchkey/key-protocol';
import { type Chain, deploy, startChain } from '@latchkey/testing/chain';
import { root, temporaryDirectory } from '@latchkey/testing/processes';
import {
  combine,
  decodeGroupParameters,
  evaluate,
  type PartialEvaluation,
  verifyPartial,
} from '@latchkey/threshold';
import { type Address, type Hex, hexToBytes } from 'viem';
import type { Tools } from '../src/admin/commands.ts';
import { type DealingOptions, runDealing } from '../src/admin/commands.ts';
import { type Configuration, openConfiguration } from '../src/admin/contract.ts';
import { createNodeClient } from '../src/admin/node-client.ts';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { type Context, openContext } from '../src/context.ts';
import type { HeldShare } from '../src/node-store.ts';

export const OPERATOR_SEED = '0b'.repeat(32);
export const operator: Identity = createIdentity(OPERATOR_SEED);
/** The deployer, who owns the contract and is so its config operator. */
export const CONFIG_OPERATOR_KEY: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export type Deployed = AsyncDisposable & { chain: Chain; directory: string; address: Address };

/** Starts a chain with the contract. */
export async function startDeployed(): Promise<Deployed> {
  const chain = await startChain();
  const directory = temporaryDirectory();
  const address = await deploy(chain, directory.path);
  return {
    chain,
    directory: join(root, directory.path),
    address,
    async [Symbol.asyncDispose]() {
      await chain[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

export function nodeSettings(
  { chain, directory }: Pick<Deployed, 'chain' | 'directory'>,
  dataDir: string,
): Record<string, string> {
  const anyKey = createIdentity('0c'.repeat(32)).publicKey;
  return {
    PORT: '0',
    LOG_LEVEL: 'silent',
    KEYNODE_DATA_DIR: dataDir,
    KEYNODE_PASSPHRASE: 'a passphrase of a test',
    RPC_URL: chain.url,
    DEPLOYMENTS_DIR: directory,
    RUNNER_KEYS: anyKey,
    RELAYER_KEYS: anyKey,
    OPERATOR_KEY: operator.publicKey,
  };
}

export type TestNode = AsyncDisposable & { url: string; context: Context; file: string };

export async function startNode(
  deployed: Deployed,
  settings: Record<string, string> = {},
): Promise<TestNode> {
  const directory = temporaryDirectory(tmpdir());
  const config = loadConfig({ ...nodeSettings(deployed, directory.path), ...settings });
  const opened = await openContext(config);
  const served = await serve(opened, createApp, config);
  return {
    url: served.url,
    context: opened.context,
    file: join(directory.path, 'node.json'),
    async [Symbol.asyncDispose]() {
      await served.close();
      directory[Symbol.dispose]();
    },
  };
}

export type Run = (
  options: Partial<DealingOptions> & {
    kind: DealingOptions['kind'];
    nodes: { url: string }[];
    from?: { url: string }[];
    /** Prints transactions instead of sending them. */
    isPrinted?: boolean;
    waitMs?: number;
  },
) => Promise<string[]>;

/** Returns a function that runs a dealing as the command does, and resolves to the printed lines. */
export function runnerFor({ chain, address }: Deployed): Run {
  return async ({ nodes, from = [], isPrinted = false, waitMs = 20_000, ...options }) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const client = ({ url }: { url: string }) => createNodeClient(url, { operator, waitMs, print });
    const tools: Tools = {
      configuration: configurationOf({ chain, address }, isPrinted ? null : CONFIG_OPERATOR_KEY, print),
      nodes: nodes.map(client),
      from: from.map(client),
      print,
    };
    try {
      await runDealing(tools, { threshold: undefined, isDryRun: false, replace: false, ...options });
    } catch (error) {
      if (error instanceof Error) error.message = [...lines, error.message].join('\n');
      throw error;
    }
    return lines;
  };
}

export const configurationOf = (
  { chain, address }: Pick<Deployed, 'chain' | 'address'>,
  key: Hex | null = CONFIG_OPERATOR_KEY,
  print: (line: string) => void = () => {},
): Configuration => openConfiguration({ rpcUrl: chain.url, address, key: key ?? undefined, print });

export const sharesOf = (nodes: TestNode[]): HeldShare[] =>
  nodes.flatMap(({ context }) => context.store.read().current ?? []);

/** Evaluates an input with these shares, as the nodes and a runner do. Returns hexadecimal. */
export function outputOf(shares: HeldShare[], input: Uint8Array, text = shares[0]?.parameters ?? ''): string {
  const parameters = decodeGroupParameters(text);
  const partials = shares.map(({ identifier, secret, parameters: own }): PartialEvaluation => {
    const { epoch } = decodeGroupParameters(own);
    const share = { epoch, identifier, secret: hexToBytes(`0x${secret}`) };
    return verifyPartial(parameters, identifier, input, evaluate(parameters, share, input));
  });
  return Buffer.from(combine(parameters, input, partials)).toString('hex');
}
