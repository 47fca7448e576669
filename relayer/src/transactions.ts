/** `npm run transactions`: shows pending transactions of payers, and brings them on or ends them. See HELP. */
import { parseArgs } from 'node:util';
import { connectChain } from '@latchkey/chain/chain';
import { createRescue, listPending, type PendingTransaction, StuckTransactionError } from '@latchkey/outbox';
import { readDeployment } from '@latchkey/service/deployment';
import { formatGwei, parseGwei } from 'viem';
import { runCommandLine, UsageError } from './command-line.ts';
import { loadConfig } from './config.ts';
import { openDatabase } from './db/database.ts';
import { hashText } from './db/text.ts';
import { openSigners } from './signers/open-signers.ts';

const HELP = `Shows pending transactions of payers, and brings them on or ends them. Reads the relayer's settings (DATABASE_URL, RPC_URL, PAYERS, …).
Relayers can run meanwhile.

  npm run transactions -- list [--older-than <seconds>]
  npm run transactions -- retry <id>
  npm run transactions -- replace <id> --max-fee-gwei <gwei>
  npm run transactions -- cancel <id> --max-fee-gwei <gwei>

  retry           broadcasts it again, unchanged
  replace         broadcasts the same call with this maximum fee per gas, which can be above MAX_FEE_PER_GAS_GWEI
  cancel          uses up its nonce with a transfer of nothing: the write has no effect, and its price is released 64 blocks later. A later
                  request with its Idempotency-Key sends the call again. So does a relayer when the write had succeeded before a
                  reorg dropped it
  --older-than    age in seconds (default: 0)
  --max-fee-gwei  the highest price per gas, tip included: at least an eighth above the present one

list exits with 1 when it finds a transaction.`;

function parse() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'older-than': { type: 'string', default: '0' },
      'max-fee-gwei': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command, id, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`unexpected: ${others.join(' ')}`);
  return { ...values, command, id };
}
type Options = ReturnType<typeof parse>;

const ageSec = ({ createdAt }: PendingTransaction): number =>
  Math.floor((Date.now() - createdAt.getTime()) / 1_000);

function describe(pending: PendingTransaction): string {
  const { id, payer, nonce, maxFeePerGas, hashes, account } = pending.transaction;
  return [
    `${id}: nonce ${nonce} of ${payer}, ${ageSec(pending)} s old, at most ${formatGwei(maxFeePerGas)} gwei`,
    `  ${pending.reason}`,
    `  account ${hashText(account)}, hashes ${hashes.join(' ')}`,
  ].join('\n');
}

function maxFeeOf({ 'max-fee-gwei': text }: Options): bigint {
  if (text === undefined || !/^\d{1,9}(\.\d{1,9})?$/.test(text))
    throw new UsageError('--max-fee-gwei: expected a number of gwei, for example 12.5');
  return parseGwei(text);
}

function idOf({ id }: Options): string {
  if (id === undefined) throw new UsageError('<id>: expected the id of a transaction, as list prints it');
  return id;
}

type Opened = {
  pending: () => Promise<PendingTransaction[]>;
  rescue: ReturnType<typeof createRescue>;
};
type Command = (options: Options) => (opened: Opened) => Promise<number>;

const commands = new Map<string, Command>([
  [
    'list',
    ({ 'older-than': text }) => {
      if (!/^\d{1,9}$/.test(text)) throw new UsageError('--older-than: expected whole seconds');
      return async ({ pending }) => {
        const found = (await pending()).filter((each) => ageSec(each) >= Number(text));
        for (const each of found) console.log(describe(each));
        console.log(`${found.length} pending transactions`);
        return found.length === 0 ? 0 : 1;
      };
    },
  ],
  [
    'retry',
    (options) => {
      const id = idOf(options);
      return async ({ rescue }) => {
        const { hashes } = await rescue.retry(id);
        console.log(`broadcast ${hashes.at(-1)}`);
        return 0;
      };
    },
  ],
  [
    'replace',
    (options) => {
      const [id, maxFee] = [idOf(options), maxFeeOf(options)];
      return async ({ rescue }) => {
        const { hashes } = await rescue.replace(id, maxFee);
        console.log(`broadcast ${hashes.at(-1)}`);
        return 0;
      };
    },
  ],
  [
    'cancel',
    (options) => {
      const [id, maxFee] = [idOf(options), maxFeeOf(options)];
      return async ({ rescue }) => {
        console.log(`broadcast ${await rescue.cancel(id, maxFee)}, which takes the nonce`);
        return 0;
      };
    },
  ],
]);

async function main(): Promise<number> {
  const options = parse();
  if (options.help || options.command === undefined) {
    console.log(HELP);
    return options.help ? 0 : 2;
  }
  const work = commands.get(options.command)?.(options);
  if (!work) throw new UsageError(`unknown command: ${options.command}`);
  const config = loadConfig();
  const { address: contract } = readDeployment(config.deploymentsDir, config.chain.chainId);
  await using opened = new AsyncDisposableStack();
  const chain = connectChain(config.chain);
  opened.defer(chain.close);
  const { db, close } = await openDatabase(config.secrets.database);
  opened.defer(close);
  const signers = options.command === 'list' ? [] : await openSigners(config.secrets);
  try {
    return await work({
      pending: () => listPending(db, chain),
      rescue: createRescue(chain, db, { signers, contract }),
    });
  } catch (error) {
    if (!(error instanceof StuckTransactionError)) throw error;
    console.error(error.message);
    return 1;
  }
}

await runCommandLine(HELP, main);
