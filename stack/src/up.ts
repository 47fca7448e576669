/** `npm run up`: runs the whole service on this machine until Ctrl-C. */
import { once } from 'node:events';
import { join, relative, resolve } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { FileError } from '@latchkey/service/files';
import { PrivateDirectoryError } from '@latchkey/service/private-directory';
import { privateKeyToAddress } from 'viem/accounts';
import { format, type OutputLine } from './output.ts';
import { root, StackError } from './root.ts';
import { type Stack, startStack } from './stack.ts';
import { makeTestKey } from './test-key.ts';

const HELP = `Starts PostgreSQL and a local chain, deploys the contract if necessary, starts indexer, relayer, triggers, dashboard and
a stand-in for Stripe, and runs until Ctrl-C. The next start continues with the same data.

  npm run up -- [options]

  --port <port>          HTTP API (default 8000)
  --triggers-port <port> trigger service (default 8100)
  --dashboard-port <port> dashboard (default 8200)
  --indexer-port <port>  indexer (default 42069)
  --chain-port <port>    JSON-RPC of the chain (default 8545)
  --postgres-port <port> PostgreSQL (default 5433)
  --stripe-port <port>   stand-in for Stripe, with play money (default 8546)
  --data-dir <path>      blocks, databases and root secret (default .data)
  --fresh                delete the data first
  --reload               restart a service when its sources change (npm run dev)
  --help

Settings of indexer, relayer and triggers are read from the environment, for example LOG_LEVEL.`;

const DEFAULT_DATA_DIR = '.data';
/** Two signals within this time are one Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;

function readOptions() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8000' },
      'triggers-port': { type: 'string', default: '8100' },
      'dashboard-port': { type: 'string', default: '8200' },
      'indexer-port': { type: 'string', default: '42069' },
      'chain-port': { type: 'string', default: '8545' },
      'stripe-port': { type: 'string', default: '8546' },
      'postgres-port': { type: 'string', default: '5433' },
      'data-dir': { type: 'string', default: DEFAULT_DATA_DIR },
      fresh: { type: 'boolean', default: false },
      reload: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const port = (
    name: 'port' | `${'triggers' | 'dashboard' | 'indexer' | 'chain' | 'stripe' | 'postgres'}-port`,
  ): number => {
    const number = Number(values[name]);
    if (/^\d{1,5}$/.test(values[name]) && number <= 65_535) return number;
    throw new StackError(`--${name}: ${values[name]} is not a port: give a number from 0 to 65535`);
  };
  if (values['data-dir'].trim() === '') throw new StackError('--data-dir is empty: give a path, or omit it');
  const dataDir = resolve(root, values['data-dir']);
  return {
    help: values.help,
    isFresh: values.fresh,
    isReloading: values.reload,
    dataDir,
    // That directory also holds the deployments of other chains.
    deploymentsDir: join(dataDir === join(root, DEFAULT_DATA_DIR) ? root : dataDir, 'deployments'),
    ports: {
      relayer: port('port'),
      indexer: port('indexer-port'),
      chain: port('chain-port'),
      stripe: port('stripe-port'),
      triggers: port('triggers-port'),
      postgres: port('postgres-port'),
      dashboard: port('dashboard-port'),
    },
  };
}

function print({ part, line }: OutputLine): void {
  process.stdout.write(format({ part, line }, process.stdout));
}

const bold = (text: string) => styleText('bold', text, { stream: process.stdout });

function describe(stack: Stack, testKeys: string): string {
  const {
    url,
    baseUrl,
    rpcUrl,
    triggersUrl,
    dashboardUrl,
    metricsUrl,
    triggersMetricsUrl,
    stripeUrl,
    databaseUrls,
    chainId,
    contractAddress,
    ownerKey,
    payerKeys,
    dataDir,
  } = stack;
  const rows = [
    ['dashboard', `${dashboardUrl} (sign in with an account key or a wallet)`],
    ['HTTP API', baseUrl],
    ['API description', `${baseUrl}/swagger-ui`],
    ['health', `${url}/health`],
    ['metrics', `${metricsUrl} and ${triggersMetricsUrl}`],
    ['triggers', triggersUrl],
    ['chain', `${rpcUrl} (chain id ${chainId})`],
    ['stripe', `${stripeUrl} (a stand-in: play money, card 4242 4242 4242 4242)`],
    [
      'postgres',
      `${new URL(databaseUrls.relayer).host} (user latchkey, password in ${join(relative(process.cwd(), dataDir), 'postgres', 'password')})`,
    ],
    ['AccountConfig', contractAddress],
    ['owner', privateKeyToAddress(ownerKey)],
    ['api payers', payerKeys.map((key) => privateKeyToAddress(key)).join(', ')],
    ['data', relative(process.cwd(), dataDir) || '.'],
  ] as const;
  return `
${bold('Everything is up.')} Ctrl-C stops it and waits for in-flight runs (up to DRAIN_TIMEOUT_SEC,
120 seconds; Ctrl-C again does not wait). The next start continues here.

${rows.map(([name, value]) => `  ${name.padEnd(16)} ${value}`).join('\n')}

${bold('The first call')}, which opens an account:

  curl -X POST ${baseUrl}/new_account -H 'Content-Type: application/json' \\
    -d '{"account_name": "first", "account_description": "Opened with curl"}'

${testKeys}
`;
}

/** Returns the text of the test keys, or why there are none: settings can prevent them, for example without starter credit. */
async function describeTestKeys(baseUrl: string): Promise<string> {
  try {
    const { usageApiKey, privateKey } = await makeTestKey(baseUrl);
    return `${bold('Test keys for this stack only')}, never for a deployment: a usage key that can run any action, of a new
account with credit, and the key of a wallet with funds. packages/sdk/README.md works with them:

  export USAGE_API_KEY=${usageApiKey}
  export PRIVATE_KEY=${privateKey}
`;
  } catch (error) {
    return `${bold('No test keys')}: ${error instanceof Error ? error.message : error}\n`;
  }
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options.help) {
    console.log(HELP);
    return;
  }
  const stopping = new AbortController();
  let firstAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ??= performance.now();
      // NOTE: npm forwards a Ctrl-C that the terminal has already sent here. The guard ends the remaining processes.
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1);
      if (stopping.signal.aborted) return;
      print({ part: 'stack', line: 'stopping (Ctrl-C again to stop immediately)' });
      stopping.abort();
    });
  }
  const { dataDir, deploymentsDir, ports, isFresh, isReloading } = options;
  const { signal } = stopping;
  try {
    await using stack = await startStack({
      dataDir,
      deploymentsDir,
      ports,
      isFresh,
      isReloading,
      env: process.env,
      onOutput: print,
      signal,
    });
    process.stdout.write(describe(stack, await describeTestKeys(stack.baseUrl)));
    const failure = await Promise.race([stack.failed, aborted(signal)]);
    if (failure) throw failure;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  print({ part: 'stack', line: 'stopped' });
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}

try {
  await main();
} catch (error) {
  process.exitCode = 1;
  if (error instanceof StackError || error instanceof FileError || error instanceof PrivateDirectoryError)
    console.error(`\n${error.message}\n\nAll started processes were stopped.`);
  else if (error instanceof TypeError && 'code' in error) console.error(`${error.message}\n\n${HELP}`);
  else console.error(error);
}
