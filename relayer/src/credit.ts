/** `npm run credit`: shows and changes the credit of accounts. */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { connectChain } from '@latchkey/chain/chain';
import { hashStateOf, namesAccount } from '@latchkey/protocol';
import { readDeployment } from '@latchkey/service/deployment';
import { createCardProcessor } from './billing/card-processor.ts';
import { availableMicros, move } from './billing/ledger.ts';
import { displayCredit, MICROS_PER_CENT } from './billing/money.ts';
import { reconcile } from './billing/reconcile.ts';
import { type AccountConfig, createViews } from './chain/account-config.ts';
import { runCommandLine, UsageError } from './command-line.ts';
import { type Config, loadConfig } from './config.ts';
import { archiving, verifying } from './credit-archives.ts';
import { type Database, openDatabase } from './db/database.ts';
import { hashText } from './db/text.ts';

const HELP = `Shows and changes the credit of accounts. Reads the relayer's settings (DATABASE_URL, RPC_URL, …).

  npm run credit -- balance <account>
  npm run credit -- add <account> <cents> --reason <text> [--id <id>]
  npm run credit -- reverse <account> <cents> --reason <text> [--id <id>]
  npm run credit -- reconcile [--since <date>] [--dry-run]
  npm run credit -- archive --dir <directory> [--remove]
  npm run credit -- verify --dir <directory> [--signer <address>]…

  <account>   master hash, or any hash that resolves to the account: 0x and 64 hex digits
  --reason    text that the account sees in its ledger
  --id        idempotency id of this movement: repeating the command with the same id has no effect
  --since     first day whose payments are compared with the card processor (default: 30 days ago)
  --dry-run   prints the differences without fixing them
  --dir       directory of the archives, always the same
  --remove    deletes the ended reserves of archived months from the database
  --signer    a former signer of receipts, which is trusted beside the one that is published on the chain

reverse takes credit back; the balance can become negative. reconcile exits with 1 when it finds a difference.
archive closes the months that ended at least 35 days ago: it writes the entries of each to a file, and signs the closing balances. A month is
closed once; a command that was interrupted can be repeated. verify compares archives, closing balances and all entries in the database to the
micro-credit. It names the account and the month of each difference, and then exits with 1.`;

function parse() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      reason: { type: 'string' },
      id: { type: 'string', default: randomUUID() },
      since: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      dir: { type: 'string' },
      remove: { type: 'boolean', default: false },
      signer: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return { ...values, command: positionals[0], operands: positionals.slice(1) };
}

/** Of several RPC nodes, two must give an answer: one alone could name the account that gets the credit. */
async function withViews<Answer>(
  { chain: settings, deploymentsDir }: Config,
  ask: (views: Pick<AccountConfig, 'read'>) => Promise<Answer>,
): Promise<Answer> {
  const { address } = readDeployment(deploymentsDir, settings.chainId);
  const chain = connectChain(settings);
  try {
    return await ask(createViews(chain, address));
  } finally {
    await chain.close();
  }
}

type AccountOnChain = { account: bigint; accepted: boolean };

/** Returns the master hash of an account, and whether it was accepted. Throws `UsageError` when the hash names no account. */
async function readAccount(config: Config, text: string | undefined): Promise<AccountOnChain> {
  if (text === undefined || !/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new UsageError('<account>: expected 0x and 64 hex digits');
  const { state, masterApiKeyHash, accepted } = await withViews(config, (views) =>
    views.read('accountState', [BigInt(text)]),
  );
  if (!namesAccount(hashStateOf(state)))
    throw new UsageError(`<account>: no account on chain ${config.chain.chainId} has the hash ${text}`);
  return { account: masterApiKeyHash, accepted };
}

/** The part of a command that uses the database, with valid arguments. Resolves to the exit code. */
type Work = (db: Database) => Promise<number>;
type Command = (config: Config, options: ReturnType<typeof parse>) => Promise<Work>;

async function printBalance(db: Database, account: bigint): Promise<number> {
  const micros = await availableMicros(db, account);
  console.log(`${hashText(account)}: ${displayCredit(micros)} (${micros} micro-credits)`);
  return 0;
}

const balance: Command = async (config, { operands }) => {
  const { account } = await readAccount(config, operands[0]);
  return (db) => printBalance(db, account);
};

const moving =
  (kind: 'credit' | 'reverse'): Command =>
  async (config, { operands, reason, id }) => {
    const [hash, cents = ''] = operands;
    if (!/^[1-9]\d{0,8}$/.test(cents))
      throw new UsageError('<cents>: expected a whole number from 1 to 999999999');
    if (!reason) throw new UsageError('--reason: required');
    const { account, accepted } = await readAccount(config, hash);
    if (kind === 'credit' && !accepted)
      throw new UsageError(
        `<account>: ${hashText(account)} was transferred to a wallet that has not accepted it. The wallet must call acceptAccount first.`,
      );
    return async (db) => {
      const cause = { externalId: `operator ${id}`, reason };
      const isNew = await move(db, account, kind, BigInt(cents) * MICROS_PER_CENT, cause);
      console.log(isNew ? `done, with --id ${id}` : `--id ${id} was already used: nothing changed`);
      return printBalance(db, account);
    };
  };

const reconciling: Command = async (
  { secrets, billing, chain, deploymentsDir },
  { since, 'dry-run': isDry },
) => {
  const from = since === undefined ? new Date(Date.now() - 30 * 86_400_000) : new Date(since);
  if (Number.isNaN(from.getTime()))
    throw new UsageError(`--since: "${since}" is not a date. Use YYYY-MM-DD.`);
  const { stripeSecretKey: secretKey } = secrets;
  const { stripePublishableKey: publishableKey } = billing;
  if (secretKey === undefined || publishableKey === undefined)
    throw new UsageError(
      'no card processor is configured: set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRETS',
    );
  const { chainId, address } = readDeployment(deploymentsDir, chain.chainId);
  const processor = createCardProcessor({
    secretKey,
    publishableKey,
    webhookSecrets: [],
    apiUrl: billing.stripeApiUrl,
    deployment: `${chainId}:${address}`,
  });
  return async (db) => {
    const { payments, differences } = await reconcile(db, processor, { since: from, fix: !isDry });
    for (const { kind, externalId, account, fixed } of differences)
      console.log(`${kind.padEnd(9)} ${hashText(account)} ${externalId}${fixed ? ' (fixed)' : ''}`);
    console.log(`${payments} payments since ${from.toISOString()}, ${differences.length} differences`);
    return differences.length === 0 ? 0 : 1;
  };
};

const commands = new Map<string, Command>([
  ['balance', balance],
  ['add', moving('credit')],
  ['reverse', moving('reverse')],
  ['reconcile', reconciling],
  ['archive', archiving],
  ['verify', (config, options) => withViews(config, (views) => verifying(config, options, views))],
]);

async function main(): Promise<number> {
  const options = parse();
  const { command: name, help } = options;
  if (help || name === undefined) {
    console.log(HELP);
    return help ? 0 : 2;
  }
  const command = commands.get(name);
  if (!command) throw new UsageError(`unknown command: ${name}`);
  const config = loadConfig();
  const work = await command(config, options);
  const { db, close } = await openDatabase(config.secrets.database);
  try {
    return await work(db);
  } finally {
    await close();
  }
}

await runCommandLine(HELP, main);
