/** From Lit Protocol's API v3: its names in code, and what an account has. */
import { oneLine } from '@latchkey/command/text';
import { apiKeyHash, isApiKeyText, walletIdentity } from '@latchkey/protocol';
import { usageKeyHash } from '@latchkey/sdk';
import type { Address } from 'viem';
import { command, type Topic, write } from '../command.ts';
import { CommandError, EXIT, UsageError } from '../errors.ts';
import type { FileReport } from '../migrate/code-files.ts';
import { describePlan } from '../migrate/describe-plan.ts';
import { readForeignAccount } from '../migrate/foreign-account.ts';
import { countWrites, importAccount } from '../migrate/import-account.ts';
import { type Plan, planImport } from '../migrate/plan.ts';
import { type ImportRecord, readRecord, recordPath, writeRecord } from '../migrate/record.ts';
import { parseAddress, parseHash, parseUrl } from '../parse.ts';
import { readSecret } from '../prompt.ts';
import type { Client, Session } from '../session.ts';
import { hex, table } from '../text.ts';

function showFile({ file, changes, notes, error, cids }: FileReport): string[] {
  const name = oneLine(file);
  const at = ({ line, column }: { line: number; column: number }): string => `${name}:${line}:${column}`;
  return [
    ...changes.map((change) => `${at(change)}  ${oneLine(`${change.from} → ${change.to}`)}`),
    ...notes.map((note) => `${at(note)}  change by hand: ${oneLine(`${note.name}: ${note.reason}`)}`),
    ...(error === undefined ? [] : [`${name}  not changed: ${oneLine(error)}`]),
    ...(cids && cids.from !== cids.to ? [`${name}  CID ${cids.from} → ${cids.to}`] : []),
  ];
}

function showFiles(files: readonly FileReport[]): string {
  const count = (values: (file: FileReport) => readonly unknown[]): number =>
    files.reduce((sum, file) => sum + values(file).length, 0);
  const failed = files.filter(({ error }) => error !== undefined).length;
  return [
    ...files.flatMap(showFile),
    `${files.length} files, ${count(({ changes }) => changes)} changes, ${count(({ notes }) => notes)} places to change by hand, ${failed} not changed`,
  ].join('\n');
}

/** Returns the hash of the account at the other system. A key is hashed here, and never sent. */
async function sourceAccount({ account, admin }: { account?: bigint; admin?: Address }): Promise<bigint> {
  if (account !== undefined && admin !== undefined)
    throw new UsageError('--account and --admin exclude each other', 'Give one of them.');
  if (account !== undefined) return account;
  if (admin !== undefined) return walletIdentity(admin);
  const key = await readSecret('key of the account at the other system', 'LATCHKEY_SOURCE_KEY');
  if (isApiKeyText(key)) return apiKeyHash(key);
  throw new UsageError('this is not a key', 'Give a key, or name the account with --account or --admin.');
}

/** Returns what names the account that gets everything. */
async function targetAccount(session: Session, client: Client): Promise<string> {
  if (client.mode === 'chainSecured') return client.internals.wallet.account.address;
  const { secrets } = await session.profile();
  if (secrets.accountKey !== undefined) return hex(usageKeyHash(secrets.accountKey));
  throw new CommandError('an import needs the account key', 'Run latchkey login.');
}

/** The result: what each item has become. Usage keys have their hashes, and their values are in the file only. */
function resultOf(path: string, { wallets, groups, keys }: ImportRecord, { actions, left }: Plan) {
  return {
    file: path,
    wallets,
    actions: Object.fromEntries(actions.map(({ hash, cid }) => [hex(hash), cid])),
    groups: Object.fromEntries(Object.entries(groups).map(([id, { groupId }]) => [id, groupId])),
    usageKeys: Object.fromEntries(
      Object.entries(keys).map(([hash, { usageKey }]) => [hash, hex(usageKeyHash(usageKey))]),
    ),
    left,
  };
}

type Result = ReturnType<typeof resultOf>;

function showResult({ file, wallets, actions, groups, usageKeys, left }: Result): string {
  const rows = Object.entries({ wallet: wallets, action: actions, group: groups, 'usage key': usageKeys });
  const items = rows.flatMap(([kind, made]) =>
    Object.entries(made).map(([from, to]) => ({ kind, from, to: String(to) })),
  );
  return [
    table(items, { KIND: ({ kind }) => kind, FROM: ({ from }) => from, TO: ({ to }) => to }),
    ...left.map((text) => `Not imported: ${oneLine(text)}`),
    `The new usage keys are in ${oneLine(file)}, which only you can read. They are nowhere else.`,
  ].join('\n');
}

const code = command({
  summary:
    'rewrites the names of Lit Protocol’s API v3 in JavaScript and TypeScript, and lists what a person must change',
  arguments: { paths: { required: true, many: true, help: 'files, or folders of them' } },
  options: { dryRun: { help: 'lists the changes, and writes nothing' } },
  examples: ['migrate code actions/ --dry-run', 'migrate code actions/ client.ts'],
  run: async (_session, { paths, dryRun }) => {
    // The parser is loaded when it is needed.
    const { migrateCode } = await import('../migrate/code-files.ts');
    return migrateCode(paths, dryRun);
  },
  show: showFiles,
  exitCode: (files) => (files.some(({ error }) => error !== undefined) ? EXIT.failed : EXIT.ok),
});

const account = write({
  summary:
    'imports what an account of Lit Protocol’s API v3 has on its chain: new wallets and usage keys, actions by their code, and groups',
  options: {
    rpcUrl: { value: 'url', required: true, parse: parseUrl, help: 'node of the chain of the other system' },
    contract: { value: 'address', required: true, parse: parseAddress, help: 'its contract AccountConfig' },
    account: { value: 'hash', parse: parseHash, help: 'hash of the account (default: asks for a key of it)' },
    admin: { value: 'address', parse: parseAddress, help: 'instead: admin wallet of a ChainSecured account' },
    actions: { value: 'folder', help: 'code of the actions: as it was, or in files named by their CIDs' },
  },
  examples: [
    'migrate account --rpc-url https://mainnet.base.org --contract 0x… --admin 0x… --actions actions/ --dry-run',
    'migrate account --rpc-url https://mainnet.base.org --contract 0x… --actions actions/ < key.txt',
  ],
  asks: true,
  prepare: async (client, { rpcUrl, contract, account: hash, admin, actions }, session) => {
    const target = await targetAccount(session, client);
    const source = {
      rpcUrl,
      contract,
      account: await sourceAccount({ ...(hash !== undefined && { account: hash }), ...(admin && { admin }) }),
    };
    const { readActionFiles } = await import('../migrate/action-files.ts');
    const files = await readActionFiles(actions);
    const foreign = await readForeignAccount(source);
    const plan = planImport(foreign, files, BigInt(Math.floor(Date.now() / 1_000)));
    const path = recordPath([foreign.chainId, contract, foreign.admin, client.url, target]);
    const record = await readRecord(path, hex(source.account));
    const count = countWrites(plan, record);
    const { priceMicros = 0n } = await client.prepare.createWallet({ name: '' });
    return {
      changes: [
        `The account of ${foreign.admin} on the chain ${foreign.chainId}, at block ${foreign.block}:`,
        ...describePlan(plan, record),
      ],
      priceMicros: priceMicros * BigInt(count),
      send: async () => {
        const save = (): Promise<void> => writeRecord(path, record);
        await importAccount({ client, record, save }, plan).catch((error) => {
          session.tell(`The import is not complete. Repeat the command: it continues, by ${path}.`);
          throw error;
        });
        return resultOf(path, record, plan);
      },
    };
  },
  show: showResult,
});

export const migrate: Topic = {
  summary: 'from Lit Protocol’s API v3: names in code, and what an account has',
  commands: { code, account },
};
