/** `npm run up`: runs the whole service on this machine until Ctrl-C. */
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './root.ts';

const HELP = `Starts PostgreSQL and a local chain, deploys the contract if necessary, starts key nodes, indexer, runner, relayer, triggers,
dashboard and a stand-in for Stripe, and runs until Ctrl-C. The next start continues with the same data.

  npm run up -- [options]

  --port <port>          HTTP API (default 8000)
  --triggers-port <port> trigger service (default 8100)
  --dashboard-port <port> dashboard (default 8200)
  --indexer-port <port>  indexer (default 42069)
  --chain-port <port>    JSON-RPC of the chain (default 8545)
  --postgres-port <port> PostgreSQL (default 5433)
  --stripe-port <port>   stand-in for Stripe, with play money (default 8546)
  --port-offset <n>      added to the default ports, for a second stack (with its own --data-dir)
  --data-dir <path>      blocks, databases, root secret and logs (default .data)
  --fresh                delete the data first
  --verbose              print everything that the parts log, not only warnings and errors
  --reload               restart a service when its sources change (npm run dev)
  --help                 print this text

Settings of indexer, runner, relayer and triggers are read from the environment, for example LOG_LEVEL.`;

const DEFAULT_DATA_DIR = '.data';
const DEFAULT_PORTS = {
  port: 8000,
  'triggers-port': 8100,
  'dashboard-port': 8200,
  'indexer-port': 42_069,
  'chain-port': 8545,
  'stripe-port': 8546,
  'postgres-port': 5433,
};
const MAX_PORT = 65_535;

/** A wrong argument. */
class UsageError extends Error {}

function readOptions() {
  const port = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      port,
      'triggers-port': port,
      'dashboard-port': port,
      'indexer-port': port,
      'chain-port': port,
      'stripe-port': port,
      'postgres-port': port,
      'port-offset': { type: 'string', default: '0' },
      'data-dir': { type: 'string', default: DEFAULT_DATA_DIR },
      fresh: { type: 'boolean', default: false },
      reload: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const number = (name: keyof typeof DEFAULT_PORTS | 'port-offset', text: string): number => {
    if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT) return Number(text);
    throw new UsageError(`--${name}: ${text} is not a port: give a number from 0 to ${MAX_PORT}`);
  };
  const offset = number('port-offset', values['port-offset']);
  const portOf = (name: keyof typeof DEFAULT_PORTS) =>
    number(name, values[name] ?? String(DEFAULT_PORTS[name] + offset));
  if (values['data-dir'].trim() === '') throw new UsageError('--data-dir is empty: give a path, or omit it');
  const dataDir = resolve(root, values['data-dir']);
  return {
    isHelp: values.help,
    options: {
      isVerbose: values.verbose,
      isFresh: values.fresh,
      isReloading: values.reload,
      dataDir,
      // That directory also holds the deployments of other chains.
      deploymentsDir: join(dataDir === join(root, DEFAULT_DATA_DIR) ? root : dataDir, 'deployments'),
      ports: {
        relayer: portOf('port'),
        indexer: portOf('indexer-port'),
        chain: portOf('chain-port'),
        stripe: portOf('stripe-port'),
        triggers: portOf('triggers-port'),
        postgres: portOf('postgres-port'),
        dashboard: portOf('dashboard-port'),
      },
    },
  };
}

async function main(): Promise<void> {
  const { isHelp, options } = readOptions();
  if (isHelp) {
    console.log(HELP);
    return;
  }
  console.log(
    `Starting in ${relative(process.cwd(), options.dataDir) || '.'}. The first start takes the longest.`,
  );
  // Loading it takes seconds on a busy machine.
  const { isExplained, runStack } = await import('./run-stack.ts');
  await runStack(options).catch((error: unknown) => {
    if (!isExplained(error)) throw error;
    process.exitCode = 1;
    console.error(`\n${error.message}\n\nAll started processes were stopped.`);
  });
}

try {
  await main();
} catch (error) {
  process.exitCode = 1;
  if (error instanceof UsageError) console.error(error.message);
  else if (error instanceof TypeError && 'code' in error) console.error(`${error.message}\n\n${HELP}`);
  else console.error(error);
}
