/** The stack in a terminal: what it prints, and how it stops. */
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { styleText } from 'node:util';
import { FileError } from '@latchkey/service/files';
import { PrivateDirectoryError } from '@latchkey/service/private-directory';
import { privateKeyToAddress } from 'viem/accounts';
import { firstAccount } from './first-account.ts';
import { format, isForPeople, type OutputLine } from './output.ts';
import { StackError } from './root.ts';
import { OPERATOR_TOKEN } from './service-settings.ts';
import { type Stack, startStack } from './stack.ts';
import type { StackOptions } from './start.ts';

/** Two signals within this time are one Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;

const bold = (text: string) => styleText('bold', text, { stream: process.stdout });

function describe(stack: Stack, account: string): string {
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
  const path = relative(process.cwd(), dataDir) || '.';
  const rows = [
    ['dashboard', `${dashboardUrl} (sign in with an account key or a wallet)`],
    ['operator', `${dashboardUrl}/operator (token in ${join(path, OPERATOR_TOKEN)})`],
    ['HTTP API', baseUrl],
    ['API description', `${baseUrl}/swagger-ui`],
    ['health', `${url}/health`],
    ['metrics', `${metricsUrl} and ${triggersMetricsUrl}`],
    ['triggers', triggersUrl],
    ['chain', `${rpcUrl} (chain id ${chainId})`],
    ['stripe', `${stripeUrl} (a stand-in: play money, card 4242 4242 4242 4242)`],
    [
      'postgres',
      `${new URL(databaseUrls.relayer).host} (user latchkey, password in ${join(path, 'postgres', 'password')})`,
    ],
    ['AccountConfig', contractAddress],
    ['owner', privateKeyToAddress(ownerKey)],
    ['api payers', payerKeys.map((key) => privateKeyToAddress(key)).join(', ')],
    ['data', `${path} (logs of all parts in ${join(path, 'logs')})`],
  ] as const;
  return `
${bold('Everything is up.')} Ctrl-C stops it and waits for in-flight runs (up to DRAIN_TIMEOUT_SEC,
120 seconds; Ctrl-C again does not wait). The next start continues here.

${rows.map(([name, value]) => `  ${name.padEnd(16)} ${value}`).join('\n')}

${bold('The first call')}, which opens an account:

  curl -X POST ${baseUrl}/new_account -H 'Content-Type: application/json' \\
    -d '{"account_name": "first", "account_description": "Opened with curl"}'

${account}
`;
}

const SIGN =
  'async function main({ pkpId }) { return Svc.Actions.getSigner({ pkpId }).signMessage("hello") }';

/** Returns the text of a prepared account, or why there is none: settings can prevent it, for example without starter credit. */
async function describeAccount(stack: Stack): Promise<string> {
  try {
    const { accountKey, wallet, usageKey, agentToken, privateKey } = await firstAccount(stack);
    return `${bold('A prepared account')}, for this stack only. Its usage key runs any action with its wallet:

  export ACCOUNT_KEY=${accountKey}
  export WALLET=${wallet}
  export USAGE_API_KEY=${usageKey}
  export AGENT_TOKEN=${agentToken}
  export PRIVATE_KEY=${privateKey}  # an address with funds on the chain

  curl ${stack.baseUrl}/svc_action -H "X-Api-Key: $USAGE_API_KEY" -H 'Content-Type: application/json' \\
    -d '{"code": ${JSON.stringify(SIGN)}, "js_params": {"pkpId": "'$WALLET'"}}'
`;
  } catch (error) {
    return `${bold('No prepared account')}: ${error instanceof Error ? error.message : error}\n`;
  }
}

const print = (output: OutputLine) => void process.stdout.write(format(output, process.stdout));

/** Runs a stack until a signal or the end of a part. */
export async function runStack({
  isVerbose,
  ...options
}: Omit<StackOptions, 'onOutput' | 'signal'> & { isVerbose: boolean }): Promise<void> {
  const signal = stopOnSignals();
  try {
    await using stack = await startStack({
      ...options,
      env: process.env,
      signal,
      onOutput: (output) => {
        if (isVerbose || isForPeople(output)) print(output);
      },
    });
    process.stdout.write(describe(stack, await describeAccount(stack)));
    const failure = await Promise.race([stack.failed, aborted(signal)]);
    if (failure) throw failure;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  print({ part: 'stack', line: 'stopped' });
}

function stopOnSignals(): AbortSignal {
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
  return stopping.signal;
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Whether the message of the error says what to do. */
export const isExplained = (error: unknown): error is Error =>
  error instanceof StackError || error instanceof FileError || error instanceof PrivateDirectoryError;
