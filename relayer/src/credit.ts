/** `npm run credit`: the operator's hand on the ledger. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { accountConfigAbi, parseDeployment } from '@latchkey/protocol';
import { ConfigError } from '@latchkey/service/settings';
import { createPublicClient, http } from 'viem';
import { createCardProcessor } from './billing/card-processor.ts';
import { availableMicros, move } from './billing/ledger.ts';
import { displayCredit, MICROS_PER_CENT } from './billing/money.ts';
import { reconcile } from './billing/reconcile.ts';
import { withoutUrl } from './chain/errors.ts';
import { type Config, loadConfig } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { hashText } from './db/text.ts';

const HELP = `The credit of accounts, by the settings of the relayer (DATABASE_URL, RPC_URL, …).

  npm run credit -- balance <account>
  npm run credit -- add <account> <cents> --reason <text> [--id <id>]
  npm run credit -- reverse <account> <cents> --reason <text> [--id <id>]
  npm run credit -- reconcile [--since <date>] [--dry-run]

  <account>   its master hash, or any hash that resolves to it: 0x and 64 hex digits
  --reason    the account sees it in its ledger
  --id        a name of yours for this movement: repeated with it, it is done once
  --since     payments from this day on are compared with the card processor (default: 30 days ago)
  --dry-run   differences are told, nothing is mended

reverse takes credit back, below zero where it was spent. reconcile ends with 1 when it found a difference.`;

class UsageError extends Error {}

function parse() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      reason: { type: 'string' },
      id: { type: 'string', default: randomUUID() },
      since: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return { ...values, command: positionals[0], operands: positionals.slice(1) };
}

/** The master hash; an account that the chain does not know has no credit to move. */
async function accountOf({ chain, deploymentsDir }: Config, text: string | undefined): Promise<bigint> {
  if (text === undefined || !/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new UsageError('<account>: expected 0x and 64 hex digits');
  const file = await readFile(join(deploymentsDir, `${chain.chainId}.json`), 'utf8');
  const { address } = parseDeployment(JSON.parse(file));
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const [account] = await client.readContract({
    address,
    abi: accountConfigAbi,
    functionName: 'resolve',
    args: [BigInt(text)],
  });
  if (account === 0n) throw new UsageError(`${text}: no such account on chain ${chain.chainId}`);
  return account;
}

/** What is left to do once everything that was asked for makes sense; resolves to the exit code. */
type Work = (db: Database) => Promise<number>;
type Command = (config: Config, options: ReturnType<typeof parse>) => Promise<Work>;

async function tellBalance(db: Database, account: bigint): Promise<number> {
  const micros = await availableMicros(db, account);
  console.log(`${hashText(account)}: ${displayCredit(micros)} (${micros} micro-credits)`);
  return 0;
}

const balance: Command = async (config, { operands }) => {
  const account = await accountOf(config, operands[0]);
  return (db) => tellBalance(db, account);
};

const moving =
  (kind: 'credit' | 'reverse'): Command =>
  async (config, { operands, reason, id }) => {
    const [hash, cents = ''] = operands;
    if (!/^[1-9]\d{0,8}$/.test(cents)) throw new UsageError('<cents>: expected a whole number above 0');
    if (!reason) throw new UsageError('--reason: needed');
    const account = await accountOf(config, hash);
    return async (db) => {
      const cause = { externalId: `operator ${id}`, reason };
      const isNew = await move(db, account, kind, BigInt(cents) * MICROS_PER_CENT, cause);
      console.log(isNew ? `done, with --id ${id}` : `--id ${id} was done before: nothing changed`);
      return tellBalance(db, account);
    };
  };

const comparing: Command = async (
  { secrets, billing, chain, deploymentsDir },
  { since, 'dry-run': isDry },
) => {
  const from = since === undefined ? new Date(Date.now() - 30 * 86_400_000) : new Date(since);
  if (Number.isNaN(from.getTime())) throw new UsageError(`--since: ${since} is no date`);
  const { stripeSecretKey: secretKey } = secrets;
  const { stripePublishableKey: publishableKey } = billing;
  if (secretKey === undefined || publishableKey === undefined)
    throw new UsageError('no card processor is configured: STRIPE_SECRET_KEY and the others are not set');
  const file = await readFile(join(deploymentsDir, `${chain.chainId}.json`), 'utf8');
  const { chainId, address } = parseDeployment(JSON.parse(file));
  const processor = createCardProcessor({
    secretKey,
    publishableKey,
    webhookSecrets: [],
    apiUrl: billing.stripeApiUrl,
    deployment: `${chainId}:${address}`,
  });
  return async (db) => {
    const { payments, differences } = await reconcile(db, processor, { since: from, mend: !isDry });
    for (const { kind, externalId, account, mended } of differences)
      console.log(`${kind.padEnd(9)} ${hashText(account)} ${externalId}${mended ? ' (mended)' : ''}`);
    console.log(`${payments} payments since ${from.toISOString()}, ${differences.length} differences`);
    return differences.length === 0 ? 0 : 1;
  };
};

const commands = new Map<string, Command>([
  ['balance', balance],
  ['add', moving('credit')],
  ['reverse', moving('reverse')],
  ['reconcile', comparing],
]);

async function main(): Promise<number> {
  const options = parse();
  const { command: name, help } = options;
  if (help || name === undefined) {
    console.log(HELP);
    return help ? 0 : 2;
  }
  const command = commands.get(name);
  if (!command) throw new UsageError(`${name}: no such command`);
  const config = loadConfig();
  const work = await command(config, options);
  const { db, close } = await openDatabase(config.secrets.database);
  try {
    return await work(db);
  } finally {
    await close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.exitCode = 2;
  const isUsage =
    error instanceof UsageError || (error instanceof TypeError && 'code' in error && !('cause' in error));
  if (isUsage) console.error(`${(error as Error).message}\n\n${HELP}`);
  else if (error instanceof ConfigError) console.error(error.message);
  else console.error(withoutUrl(error));
}
