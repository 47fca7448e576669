/** Key nodes of a test, in this process, on a chain of their own. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { serve } from '@latchkey/http';
import { createIdentity, type Identity } from '@latchkey/key-protocol';
import { accountConfigAbi } from '@latchkey/protocol';
import { type Chain, deploy, startChain } from '@latchkey/testing/chain';
import { root, temporaryDirectory } from '@latchkey/testing/processes';
import { freePort } from '@latchkey/testing/until';
import {
  combine,
  decodeGroupParameters,
  evaluate,
  type PartialEvaluation,
  verifyPartial,
} from '@latchkey/threshold';
import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  hexToBytes,
  numberToHex,
  padHex,
  size,
  toFunctionSelector,
  zeroAddress,
  zeroHash,
} from 'viem';
import type { Tools } from '../src/admin/commands.ts';
import { type DealingOptions, runDealing } from '../src/admin/commands.ts';
import { type Configuration, openConfiguration } from '../src/admin/contract.ts';
import { createNodeClient, type NodeClient } from '../src/admin/node-client.ts';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { type Context, openContext } from '../src/context.ts';
import type { HeldShare } from '../src/node-store.ts';

const OPERATOR_SEED = '0b'.repeat(32);
export const operator: Identity = createIdentity(OPERATOR_SEED);
/** The deployer, who owns the contract and is therefore also its config operator. */
export const CONFIG_OPERATOR_KEY: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** A contract that the nodes read. */
export type Deployed = AsyncDisposable & {
  rpcUrl: string;
  /** Directory of the deployment. */
  directory: string;
  /** The contract as the command uses it; with `isPrinted` it only prints transactions. */
  configuration: (of?: { isPrinted?: boolean; print?: (line: string) => void }) => Configuration;
};

/** Starts a chain with the contract. */
export async function startDeployed(): Promise<Deployed & { client: Chain['client']; address: Address }> {
  const chain = await startChain();
  const directory = temporaryDirectory();
  const address = await deploy(chain, directory.path);
  return {
    rpcUrl: chain.url,
    client: chain.client,
    address,
    directory: join(root, directory.path),
    configuration: ({ isPrinted = false, print = () => {} } = {}) =>
      openConfiguration({
        rpcUrl: chain.url,
        address,
        key: isPrinted ? undefined : CONFIG_OPERATOR_KEY,
        print,
      }),
    async [Symbol.asyncDispose]() {
      await chain[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

type StandInChain = { id: number; timestampSec: number };

/**
 * Starts a stand-in for an RPC endpoint that has only a node configuration: a chain with a deployment would take as long as a whole test
 * of a dealing.
 */
export async function startConfigurationOnly(): Promise<Deployed & { chain: StandInChain }> {
  const values = new Map<string, string>();
  const directory = temporaryDirectory(tmpdir());
  const deployment = { chainId: 31_337, address: zeroAddress, startBlock: 0, facets: {} };
  writeFileSync(join(directory.path, '31337.json'), JSON.stringify(deployment));
  const chain: StandInChain = { id: 31_337, timestampSec: 1 };
  const block = () => ({ number: '0x1', hash: zeroHash, timestamp: numberToHex(chain.timestampSec) });
  type Call = { to?: Hex; data?: Hex };
  const answer = ({ id, method, params }: { id: number; method: string; params?: [Call] }) => {
    const { to, data = '0x' } = params?.[0] ?? {};
    const results: Record<string, () => unknown> = {
      eth_call: () => (to ? viewOf(values, data) : noCodeHashes(data)),
      eth_chainId: () => numberToHex(chain.id),
      eth_getLogs: () => [],
      eth_getStorageAt: () => padHex(FACET),
    };
    return { jsonrpc: '2.0', id, result: (results[method] ?? block)() };
  };
  const server = createServer(async (request, response) => {
    const asked = (await json(request)) as Parameters<typeof answer>[0] | Parameters<typeof answer>[0][];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    chain,
    rpcUrl: `http://127.0.0.1:${port}`,
    directory: directory.path,
    configuration: () => ({
      read: async (name) => values.get(name) ?? '',
      async write(name, value) {
        values.set(name, value);
        return true;
      },
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      directory[Symbol.dispose]();
    },
  };
}

/** The only facet of the stand-in: its loupe. */
const FACET = `0x${'0f'.repeat(20)}` as const;

function viewOf(values: Map<string, string>, data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi: accountConfigAbi, data });
  const abi = accountConfigAbi;
  if (functionName === 'owner') return encodeFunctionResult({ abi, functionName, result: zeroAddress });
  if (functionName === 'facets') {
    const functionSelectors = [toFunctionSelector('facets()')];
    return encodeFunctionResult({ abi, functionName, result: [{ facetAddress: FACET, functionSelectors }] });
  }
  const result = values.get(String(args?.[0])) ?? '';
  return encodeFunctionResult({ abi, functionName: 'nodeConfigurationValue', result });
}

/** Returns the code hashes of as many addresses as the program has: 26 bytes for each, and 5 for its end. */
const noCodeHashes = (program: Hex): Hex => padHex('0x', { size: 32 * ((size(program) - 5) / 26 + 1) });

export function nodeSettings({ rpcUrl, directory }: Deployed, dataDir: string): Record<string, string> {
  const anyKey = createIdentity('0c'.repeat(32)).publicKey;
  return {
    PORT: '0',
    LOG_LEVEL: 'silent',
    KEYNODE_DATA_DIR: dataDir,
    KEYNODE_PASSPHRASE: '11'.repeat(32),
    RPC_URL: rpcUrl,
    // The chain of the test makes blocks on demand.
    MAX_BLOCK_AGE_SEC: '0',
    DEPLOYMENTS_DIR: directory,
    RUNNER_KEYS: anyKey,
    RELAYER_KEYS: anyKey,
    OPERATOR_KEY: operator.publicKey,
    APPROVAL_WAIT_SEC: '0',
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
    /** Number of commands to nodes before the command ends. */
    interruptAfter?: number;
  },
) => Promise<string[]>;

/** Returns a function that runs a dealing as the command does, and resolves to the printed lines. */
export function runnerFor({ configuration }: Deployed): Run {
  return async ({ nodes, from = [], isPrinted = false, waitMs = 20_000, interruptAfter, ...options }) => {
    let left = interruptAfter ?? Number.POSITIVE_INFINITY;
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const client = ({ url }: { url: string }): NodeClient => {
      const created = createNodeClient(url, { operator, waitMs, print });
      return {
        ...created,
        command: async (action) => {
          if (left-- <= 0) throw new Error('interrupted');
          return created.command(action);
        },
      };
    };
    const tools: Tools = {
      configuration: configuration({ isPrinted, print }),
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
