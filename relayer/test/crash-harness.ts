/**
 * A relayer as a process that can be killed at a message, with its chain, runner, database and card processor, and
 * without an indexer.
 */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { accountConfigAbi, apiKeyHash } from '@latchkey/protocol';
import { startStripe } from '@latchkey/stripe-stand-in';
import { PUBLISHABLE_KEY, SECRET_KEY } from '@latchkey/stripe-stand-in/testing';
import { deploy, startChain } from '@latchkey/testing/chain';
import { startKeyNodes } from '@latchkey/testing/key-nodes';
import { type Entry, settledLedger } from '@latchkey/testing/ledger';
import { type OnMessage, startHttpProxy, startPostgresProxy } from '@latchkey/testing/message-proxies';
import { temporaryDirectory } from '@latchkey/testing/processes';
import { startRunnerProcess } from '@latchkey/testing/services';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { endLeases, openTestDatabase } from './database.ts';
import { type RelayerProcess, startRelayerProcess } from './process.ts';

export const WEBHOOK_SECRET = 'whsec_harness';
const DEADLINE_MS = 240_000;

export const victims = ['relayer', 'runner', 'both'] as const;
export type Victim = (typeof victims)[number];

type Reply = { status: number; body: Record<string, string> };
/** Starts the harness. `own` are settings of the relayer. */
export async function startCrashHarness(own: Record<string, string> = {}) {
  await using started = new AsyncDisposableStack();
  const chain = started.use(await startChain());
  const deployments = started.use(temporaryDirectory()).path;
  const dataDir = started.use(temporaryDirectory()).path;
  const payerKeys = [generatePrivateKey(), generatePrivateKey()];
  const payers = payerKeys.map((key) => privateKeyToAddress(key));
  for (const address of payers) await chain.client.setBalance({ address, value: 10n ** 24n });
  const contract = await deploy(chain, deployments, payers);
  const keyNodes = started.use(await startKeyNodes(chain, contract));
  const ofRunner = { ...keyNodes.runner, RUNTIME_POOL_SIZE: '2' };
  const stripe = await startStripe({ secretKey: SECRET_KEY, publishableKey: PUBLISHABLE_KEY });
  started.defer(stripe.close);

  let plan: { at: number; seen: number; label?: string } | undefined;
  let relayer: RelayerProcess;
  const onMessage: OnMessage = (label, moment) => {
    if (!plan || plan.label !== undefined) return plan !== undefined;
    plan.seen++;
    if (plan.seen < plan.at) return false;
    plan.label = `${label}, ${moment}`;
    relayer.child.kill('SIGKILL');
    return true;
  };
  const labelRequest = (_line: string, body: string) => `chain ${/"method":"(\w+)"/.exec(body)?.[1]}`;
  const rpc = started.use(await startHttpProxy(chain.url, labelRequest, onMessage));
  const cards = started.use(
    await startHttpProxy(stripe.url, (line) => line.replace(/\w+_\w{8,}.*/, '…'), onMessage),
  );

  const settings: Record<string, string> = {
    RPC_URL: rpc.url,
    DEPLOYMENTS_DIR: deployments,
    DATA_DIR: dataDir,
    PAYER_PRIVATE_KEYS: payerKeys.join(','),
    STARTER_CREDIT_CENTS: '100000',
    PAYMENT_REQUESTS_PER_MINUTE: '1000000',
    NEW_ACCOUNTS_PER_MINUTE: '1000000',
    NEW_ACCOUNT_GAS_PER_HOUR: '1000000000000',
    UNKNOWN_KEYS_PER_MINUTE: '1000000',
    MAX_CONCURRENT_RUNS: '4',
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_PUBLISHABLE_KEY: PUBLISHABLE_KEY,
    STRIPE_WEBHOOK_SECRETS: WEBHOOK_SECRET,
    STRIPE_API_URL: cards.url,
    ...keyNodes.relayer,
    ...own,
  };
  let runner = await startRunnerProcess(ofRunner);
  started.defer(() => runner[Symbol.asyncDispose]());
  settings.RUNNER_URLS = runner.url;
  const killedRunners: number[] = [];
  const database = await openTestDatabase();
  started.defer(database.dispose);
  const tap = started.use(await startPostgresProxy(Number(new URL(database.url).port), onMessage));
  settings.DATABASE_URL = Object.assign(new URL(database.url), { port: String(tap.port) }).href;

  const start = async (): Promise<void> => {
    await endLeases(database.db);
    relayer = await startRelayerProcess(settings);
    settings.PORT = new URL(relayer.url).port;
  };
  await start();
  started.defer(async () => void (await relayer.stop('SIGKILL')));

  const call = async (
    method: 'GET' | 'POST',
    path: string,
    options: { body?: object | string; headers?: Record<string, string> } = {},
  ): Promise<Reply> => {
    const { body, headers } = options;
    const response = await fetch(`${relayer.url}/core/v1/${path}`, {
      method,
      signal: AbortSignal.timeout(DEADLINE_MS),
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const harness = {
    get url() {
      return relayer.url;
    },
    stripe,
    call,
    /** Repeats a request until it returns 200, and returns the reply. */
    async insist(...request: Parameters<typeof call>): Promise<Reply['body']> {
      const deadline = Date.now() + DEADLINE_MS;
      for (;;) {
        const reply = await call(...request).catch((error: Error) => ({
          status: 0,
          body: { error: error.message },
        }));
        if (reply.status === 200) return reply.body;
        const isPassing = reply.status === 0 || reply.status >= 500;
        if (!isPassing || Date.now() > deadline)
          throw new Error(`${request[1]}: ${reply.status} ${JSON.stringify(reply.body)}`);
        await delay(50);
      }
    },
    /** Counts messages from the next one on, and kills the relayer at message number `at`. */
    killAt(at: number): void {
      plan = { at, seen: 0 };
    },
    /** Returns the message at which the relayer was killed; undefined when there were fewer messages. */
    disarm(): string | undefined {
      const label = plan?.label;
      plan = undefined;
      return label;
    },
    /** Kills the relayer, the runner or both, and starts them again. */
    async restart(victim: Victim = 'relayer'): Promise<void> {
      const exited = once(runner.child, 'exit');
      if (victim !== 'relayer') {
        killedRunners.push(runner.child.pid as number);
        runner.child.kill('SIGKILL');
      }
      if (victim !== 'runner') await relayer.stop('SIGKILL');
      if (victim !== 'relayer') {
        await exited;
        runner = await startRunnerProcess(ofRunner, runner.url);
      }
      if (victim !== 'runner') await start();
    },
    /** Returns the processes and directories that killed runners left behind. */
    leftovers(): string[] {
      const names = killedRunners.map((pid) => `latchkey-runtime-${pid}-`);
      const isLeft = (text: string) => names.some((name) => text.includes(name));
      const directories = readdirSync(tmpdir()).filter(isLeft);
      const processes = readdirSync('/proc').filter((pid) => {
        try {
          return /^\d+$/.test(pid) && isLeft(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
        } catch {
          return false;
        }
      });
      return [...directories, ...processes];
    },
    async sizes(account: bigint): Promise<{ groups: number; keys: number }> {
      const [apiKeys, groups] = (await chain.client.readContract({
        address: contract,
        abi: accountConfigAbi,
        functionName: 'listSizes',
        args: [account],
      })) as unknown as [bigint, bigint];
      return { groups: Number(groups), keys: Number(apiKeys) };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  const kept = started.move();
  return harness;
}
export type CrashHarness = Awaited<ReturnType<typeof startCrashHarness>>;

export type Account = { key: string; hash: bigint; runner: string; auth: Record<string, string> };

export async function openAccount(harness: CrashHarness): Promise<Account> {
  const { api_key: key } = await harness.insist('POST', 'new_account', {
    body: { account_name: 'crashes', account_description: '' },
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });
  const auth = { 'X-Api-Key': key as string };
  const { usage_api_key: runner } = await harness.insist('POST', 'add_usage_api_key', {
    body: { execute_in_groups: [0] },
    headers: { ...auth, 'Idempotency-Key': crypto.randomUUID() },
  });
  return { key: key as string, hash: apiKeyHash(key as string), runner: runner as string, auth };
}

/** Waits until nothing is reserved and returns the entries. Throws when they do not add up to the balance. */
export const settled = (harness: CrashHarness, { auth }: Account): Promise<Entry[]> =>
  settledLedger((path) => harness.insist('GET', path, { headers: auth }), DEADLINE_MS);
