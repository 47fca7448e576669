/** The commands of docs/keys.md, Operations. */
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { createIdentity } from '@latchkey/key-protocol';
import { RECEIPT_SIGNER_CONFIGURATION } from '@latchkey/protocol';
import { readDeployment } from '@latchkey/service/deployment';
import {
  ConfigError,
  defineSettings,
  directory,
  hex32,
  httpUrl,
  integer,
  list,
} from '@latchkey/service/settings';
import { isAddress } from 'viem';
import { z } from 'zod';
import { openEndpoint } from '../contract.ts';
import { abandon, approve, runDealing, status, type Tools } from './commands.ts';
import { openConfiguration } from './contract.ts';
import { CommandError } from './errors.ts';
import { printIdentities, printNewIdentity } from './identity.ts';
import { createNodeClient } from './node-client.ts';
import { acknowledge, decideOnGroup, type OwnNode } from './own-node.ts';

const HELP = `npm run keys -- status   --nodes <urls>                     show the published group and the shares of nodes
npm run keys -- approve  --nodes <urls> --threshold <t>     let the contract approve the nodes of the next group
npm run keys -- generate --nodes <urls> --threshold <t>     create the key of a new deployment
npm run keys -- refresh  --nodes <urls>                     give all nodes new shares of the same key
npm run keys -- reshare  --nodes <urls> --threshold <t> [--from <urls>]
                                                            move the key to other nodes or another threshold
npm run keys -- abandon  --nodes <urls>                     give up an unfinished dealing

npm run keys -- identity                                    print the public keys of the seeds in the environment
npm run keys -- identity --new                              print a new seed and its public key
npm run keys -- receipt-signer --address <address>          publish the signer of receipts that a relayer names

On the machine of a node, for this node only:
npm run keys -- acknowledge --data-dir <directory>          go on after a change of the contract's code
npm run keys -- accept      --data-dir <directory>          deal in the approved group without the waiting time
npm run keys -- refuse      --data-dir <directory>          never deal in the approved group

An interrupted command continues when it is repeated.

--nodes <urls>    URLs of the nodes of the group after the command, comma-separated
--from <urls>     nodes of the published group that leave it
--threshold <t>   number of nodes that can derive a key together
--dry-run         checks everything and changes nothing
--print           prints the transactions instead of sending them, for a Safe or timelock
--replace         gives up an unfinished or unpublished dealing of the nodes
--wait <seconds>  longest time without an answer of a node (default: 30)
--data-dir <path> KEYNODE_DATA_DIR of the node
--address <0x…>   address of the signer of receipts
--yes             does not ask

OPERATOR_SEED        SECRET. Ed25519 seed, 64 hex digits; its public key is OPERATOR_KEY of the nodes
RELAYER_IDENTITY     SECRET. For identity: seed of a relayer; its public key is one of RELAYER_KEYS of the nodes
RUNNER_IDENTITY      SECRET. For identity: seed of a runner; its public key is one of RUNNER_KEYS of the nodes
RPC_URL              URL of the chain
CHAIN_ID             default: 31337
DEPLOYMENTS_DIR      directory of <chainId>.json (default: deployments)
CONFIG_OPERATOR_KEY  SECRET. Sends the transactions; not needed with --print`;

const { take } = defineSettings({
  schema: z.object({
    OPERATOR_SEED: hex32.optional(),
    CONFIG_OPERATOR_KEY: z
      .templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)], { error: 'expected 0x and 64 hex digits' })
      .optional(),
    RPC_URL: httpUrl,
    CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER, 31_337),
    DEPLOYMENTS_DIR: directory('deployments'),
  }),
  secrets: ['OPERATOR_SEED', 'CONFIG_OPERATOR_KEY', 'RPC_URL'],
  configFrom: (env) => env,
});

const print = (line: string): void => console.log(line);

function readOptions() {
  const { values, positionals } = parseArgs({
    options: {
      nodes: { type: 'string' },
      from: { type: 'string' },
      threshold: { type: 'string' },
      wait: { type: 'string', default: '30' },
      'dry-run': { type: 'boolean', default: false },
      print: { type: 'boolean', default: false },
      replace: { type: 'boolean', default: false },
      'data-dir': { type: 'string' },
      yes: { type: 'boolean', default: false },
      new: { type: 'boolean', default: false },
      address: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  return { values, command: positionals.length === 1 ? positionals[0] : undefined };
}
type Options = ReturnType<typeof readOptions>['values'];

function count(name: string, text: string | undefined, minimum: number, maximum: number): number {
  const value = Number(text);
  if (text === undefined) throw new CommandError(`--${name} is missing`);
  if (!Number.isInteger(value) || value < minimum || value > maximum)
    throw new CommandError(`--${name} takes a number from ${minimum} to ${maximum}, not "${text}"`);
  return value;
}

function urls(name: string, text: string | undefined): string[] {
  if (text === undefined) return [];
  return list(text).map((url) => {
    if (!httpUrl.safeParse(url).success) throw new CommandError(`--${name}: "${url}" is not an HTTP URL`);
    return url.replace(/\/+$/, '');
  });
}

type Needs = { operator: boolean; configOperator: boolean };

async function openTools(values: Options, needs: Needs): Promise<Tools> {
  const env = take();
  if (needs.operator && env.OPERATOR_SEED === undefined)
    throw new CommandError(
      'OPERATOR_SEED is missing: set the seed whose public key is OPERATOR_KEY of the nodes',
    );
  const operator = createIdentity(env.OPERATOR_SEED ?? '00'.repeat(32));
  const waitMs = 1_000 * count('wait', values.wait, 0, 86_400);
  const client = (url: string) => createNodeClient(url, { operator, waitMs, print });
  const nodes = urls('nodes', values.nodes).map(client);
  if (nodes.length === 0)
    throw new CommandError('--nodes is missing: give the URLs of the nodes, comma-separated');
  const configuration = openContract(values, env, needs);
  return { configuration, nodes, from: urls('from', values.from).map(client), print };
}

function openContract(values: Options, env: ReturnType<typeof take>, needs: Pick<Needs, 'configOperator'>) {
  const isPrinted = values.print || values['dry-run'];
  if (!isPrinted && needs.configOperator && env.CONFIG_OPERATOR_KEY === undefined)
    throw new CommandError('CONFIG_OPERATOR_KEY is missing: set it, or add --print');
  return openConfiguration({
    rpcUrl: env.RPC_URL,
    address: readDeployment(env.DEPLOYMENTS_DIR, env.CHAIN_ID).address,
    key: isPrinted ? undefined : env.CONFIG_OPERATOR_KEY,
    print,
  });
}

/** Publishes the address that clients and contracts accept as the signer of receipts. */
async function publishReceiptSigner(values: Options): Promise<void> {
  const { address = '' } = values;
  if (!isAddress(address))
    throw new CommandError('--address takes 0x and 40 hex digits with a right checksum');
  const configuration = openContract(values, take(), { configOperator: true });
  if ((await configuration.read(RECEIPT_SIGNER_CONFIGURATION)) === address)
    return print('the contract has this signer');
  await configuration.write(RECEIPT_SIGNER_CONFIGURATION, address);
}

function openOwnNode(values: Options): OwnNode {
  const { 'data-dir': path, yes } = values;
  if (path === undefined) throw new CommandError('--data-dir is missing: give KEYNODE_DATA_DIR of the node');
  const env = take();
  const { address } = readDeployment(env.DEPLOYMENTS_DIR, env.CHAIN_ID);
  return {
    directory: resolve(path),
    endpoint: openEndpoint(env.RPC_URL, { address, chainId: env.CHAIN_ID }),
    print,
    confirm: async (question) => yes || (await ask(`${question} [yes/no] `)) === 'yes',
  };
}

async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandError('there is no terminal to ask at: add --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

async function main(): Promise<void> {
  const { values, command } = readOptions();
  if (values.help) return print(HELP);
  const { replace, 'dry-run': isDryRun } = values;
  const threshold = () => count('threshold', values.threshold, 1, 16);
  const deal = async (kind: 'generation' | 'refresh' | 'resharing', of: number | undefined) =>
    runDealing(await openTools(values, { operator: true, configOperator: true }), {
      kind,
      threshold: of,
      isDryRun,
      replace,
    });
  switch (command) {
    case 'status':
      return status(await openTools(values, { operator: false, configOperator: false }));
    case 'approve':
      return approve(await openTools(values, { operator: false, configOperator: true }), {
        threshold: threshold(),
        isDryRun,
      });
    case 'generate':
      return deal('generation', threshold());
    case 'refresh':
      return deal('refresh', undefined);
    case 'reshare':
      return deal('resharing', threshold());
    case 'abandon':
      return abandon(await openTools(values, { operator: true, configOperator: false }), isDryRun);
    case 'identity':
      return values.new ? printNewIdentity(print) : printIdentities(print);
    case 'receipt-signer':
      return publishReceiptSigner(values);
    case 'acknowledge':
      return acknowledge(openOwnNode(values));
    case 'accept':
      return decideOnGroup(openOwnNode(values), 'accepted');
    case 'refuse':
      return decideOnGroup(openOwnNode(values), 'refused');
    default:
      throw new CommandError(HELP);
  }
}

const isWrongOption = (error: unknown): error is TypeError =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

try {
  await main();
} catch (error) {
  process.exitCode = 1;
  if (error instanceof ConfigError) console.error(`Invalid settings:\n${error.message}`);
  else if (error instanceof CommandError || isWrongOption(error)) console.error(error.message);
  else console.error(error);
}
