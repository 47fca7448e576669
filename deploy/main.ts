/** The commands of docs/deployment.md. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BaseError } from 'viem';
import { type Context, DifferenceError, openContext } from './context.ts';
import { deploy } from './deploy.ts';
import { ForgeError, forgeBuild, root } from './forge.ts';
import { InputError, readNetwork, requireGuardian } from './inputs.ts';
import { payers } from './payers.ts';
import { seed } from './seed.ts';
import { upgrade } from './upgrade.ts';
import { verify } from './verify.ts';

const HELP = `npm run deploy  -- --network <name> [--broadcast]                    create the contract, offer it to its owner
npm run verify  -- --network <name>                                  compare the chain with the wanted state
npm run payers  -- --network <name> --step <step> [--broadcast]      rotate or unfreeze the api payers
npm run upgrade -- --network <name> [--broadcast]                    cut the diamond to the compiled facets
npm run seed    -- --network <name> [--broadcast]                    open a demo account, not on mainnet

Without --broadcast nothing is sent.

--network <name>   an entry of the networks file, by name or chain id
--networks <file>  the networks file (default: deploy/networks.json)
--step <step>      add, remove or unfreeze
--without-guardian accepts a public network whose api payers only the owner can freeze

RPC_URL          URL of the node
DEPLOYER_KEY     key of the deployer, 0x and 64 hex digits, for --broadcast
OWNER_KEY        key of an owner that is an ordinary address, for test networks: --broadcast sends its transactions
DEPLOYMENTS_DIR  directory of <chainId>.json and of the files for the Safe (default: deployments)`;

type Options = { step: string | undefined };

const commands: Record<string, (context: Context, options: Options) => Promise<void>> = {
  deploy,
  verify,
  upgrade,
  seed,
  payers: (context, { step }) => payers(context, step),
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      network: { type: 'string' },
      networks: { type: 'string', default: join(root, 'deploy/networks.json') },
      step: { type: 'string' },
      'without-guardian': { type: 'boolean', default: false },
      broadcast: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  const command = commands[positionals[0] ?? ''];
  if (values.help) {
    console.log(HELP);
    return;
  }
  if (!command || positionals.length !== 1) throw new InputError(HELP);
  if (!values.network)
    throw new InputError('--network is missing: name an entry of the networks file, such as base-sepolia');
  const network = readNetwork(values.networks, values.network);
  if (!values['without-guardian']) requireGuardian(network);
  const context = await openContext(network, values.broadcast);
  await forgeBuild();
  await command(context, { step: values.step });
}

function isWrongOption(error: unknown): error is TypeError {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

/** Removes the node's URL, which may contain a key. */
function withoutUrl(text: string): string {
  const url = process.env.RPC_URL;
  return url ? text.replaceAll(url, 'RPC_URL') : text;
}

// forge inherits it, and its records have the URL of the node.
process.umask(0o077);
try {
  await main();
} catch (error) {
  process.exitCode = 1;
  if (error instanceof DifferenceError) console.error(`The chain differs:\n${error.message}`);
  else if (error instanceof InputError || error instanceof ForgeError || isWrongOption(error))
    console.error(withoutUrl(error.message));
  else if (error instanceof BaseError) console.error(withoutUrl(error.shortMessage));
  else console.error(error);
}
