/**
 * `npm run release -- --rehearse`: the services of a released version get data, and are updated to this commit with a raised version. The
 * packages of the released version go on using them.
 */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { devAccount } from '@latchkey/stack';
import { documentedOutput, printedLines, readProgram } from '@latchkey/testing/installed';
import { PACKED_VARIABLE } from '@latchkey/testing/packed-setup';
import { end, hasEnded, temporaryDirectory, watch } from '@latchkey/testing/processes';
import { until } from '@latchkey/testing/until';
import { compareOperations, type Operations, readCalls } from './operations.ts';
import { nextVersion } from './versions.ts';

const root = join(import.meta.dirname, '../..');
/** Of a stack with this offset, beside one with the default ports. */
const OFFSET = 12_000;
const at = (port: number) => `http://127.0.0.1:${port + OFFSET}`;
const urls = {
  ...{ RELAYER: at(8000), TRIGGERS: at(8100), STRIPE: at(8546), RPC: at(8545) },
  // Below the ports of outgoing connections.
  INDEXER: at(8300),
};
const RECEIVER = String(8400 + OFFSET);
const START_MS = 900_000;
/** State of the objects, in the folder of the packages. */
const OBJECTS = 'objects.json';

type Where = { cwd: string; env?: Record<string, string> };

/** Runs a command to its end. Resolves to what it prints. */
async function run(command: string, args: string[], { cwd, env }: Where): Promise<string> {
  console.error(`$ ${command} ${args.join(' ')}`);
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 28 };
  const { stdout } = await promisify(execFile)(command, args, options).catch((error) => {
    const output = `${error.stdout}${error.stderr}`.trim().split('\n').slice(-20).join('\n');
    throw new Error(`${command} ${args.join(' ')}: ${output || error.message}`);
  });
  return stdout;
}

/** A commit of this repository, with its own packages. */
async function checkOut(ref: string, path: string): Promise<void> {
  const commit = (await run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: root })).trim();
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, path], { cwd: root });
  await run('git', ['checkout', '--quiet', commit], { cwd: path });
  await run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: path });
}

/** Starts the stack of a checkout. */
async function startStack(checkout: string, data: string) {
  // Without npm, which can end before the stack does.
  const args = ['stack/src/up.ts', '--data-dir', data, '--port-offset', String(OFFSET)];
  const child = spawn(process.execPath, [...args, '--indexer-port', new URL(urls.INDEXER).port], {
    cwd: checkout,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, WEBHOOK_ALLOWED_ADDRESSES: `127.0.0.1:${RECEIVER}` },
  });
  const output = watch(child, () => process.kill(-(child.pid as number), 'SIGKILL'));
  const isUp = async () => hasEnded(child) || output().includes('export PRIVATE_KEY=');
  await until('the stack is up', isUp, START_MS);
  if (hasEnded(child)) throw new Error(`the stack of ${checkout} ended:\n${output()}`);
  const prepared = output().matchAll(/export (\w+)=(\S+)/g);
  return {
    output,
    /** Of its prepared account. */
    env: Object.fromEntries([...prepared].map(([, name = '', value = '']) => [name, value])),
    stop: () => end(child, 'SIGINT'),
  };
}

/** Cuts the contract to that of the checkout, which the operators of the key nodes acknowledge. */
async function upgradeContract(cwd: string, data: string): Promise<void> {
  const env = { RPC_URL: urls.RPC, DEPLOYMENTS_DIR: join(data, 'deployments') };
  // The deployer of a stack is the owner too.
  const key = { DEPLOYER_KEY: devAccount(0).privateKey };
  const upgrade = ['run', 'upgrade', '--', '--network', 'local', '--broadcast'];
  await run('npm', upgrade, { cwd, env: { ...env, ...key } });
  for (const node of ['keynode1', 'keynode2', 'keynode3']) {
    const directory = join(data, 'keynodes', node);
    const args = ['run', 'keys', '--', 'acknowledge', '--data-dir', directory, '--yes'];
    await run('npm', args, { cwd, env });
  }
}

async function readOperations(): Promise<Operations> {
  const read = async (url: string) => ((await (await fetch(url)).json()) as { paths: Operations }).paths;
  return {
    ...(await read(`${urls.RELAYER}/core/v1/openapi.json`)),
    ...(await read(`${urls.TRIGGERS}/api/openapi.json`)),
  };
}

const atStack = (text: string): string =>
  [8000, 8100, 8545, 8546].reduce(
    (changed, port) => changed.replaceAll(`http://127.0.0.1:${port}`, at(port)),
    text.replaceAll('http://127.0.0.1:42069', urls.INDEXER),
  );

type Row = { check: string; fault?: string };

/** Runs checks one after another. */
function openTable() {
  const rows: Row[] = [];
  const add = (row: Row) => {
    rows.push(row);
    console.log(
      `${row.fault === undefined ? 'ok   ' : 'FAULT'} ${row.check}${row.fault ? `\n${row.fault}` : ''}`,
    );
  };
  const check = (what: string, work: () => Promise<unknown>) =>
    work().then(
      () => add({ check: what }),
      (error: Error) => add({ check: what, fault: error.message }),
    );
  return { rows, add, check };
}
type Table = ReturnType<typeof openTable>;

function requireSame(printed: string[], documented: string[]): void {
  const wrong = documented.flatMap((line, index) =>
    line === printed[index] ? [] : [`documented ${line}\nprinted    ${printed[index]}`],
  );
  if (documented.length === 0 || wrong.length > 0)
    throw new Error(wrong.join('\n') || 'nothing is documented');
}

/** Follows the documents of the released version, and runs its commands. */
async function checkClients({ check }: Table, older: string, app: string, prepared: Record<string, string>) {
  const home = join(app, 'home');
  mkdirSync(home);
  const PATH = [join(app, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const env = {
    ...{ PATH, HOME: home, XDG_CONFIG_HOME: home, LATCHKEY_URL: urls.RELAYER },
    // Its profiles do not belong in the keyring of this user.
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/none`,
  };
  await check('the README of the SDK prints its documented output', async () => {
    const page = readFileSync(join(app, 'node_modules/@latchkey/sdk/README.md'), 'utf8');
    const program = atStack(readProgram(page, {}));
    writeFileSync(join(app, 'readme.ts'), program);
    const printed = await run(process.execPath, ['readme.ts'], { cwd: app, env: prepared });
    requireSame(printedLines(printed), documentedOutput(program));
  });
  await check('the quickstart ends', () =>
    run('npm', ['run', '-s', 'quickstart'], { cwd: older, env: { BASE_URL: `${urls.RELAYER}/core/v1` } }),
  );
  await check('the page on the command line prints its documented output', async () => {
    const page = readFileSync(join(older, 'docs/cli.md'), 'utf8');
    const [, script = '', shown = ''] = /```sh\n(.*?)\n```\n\nIt prints\n\n```\n(.*?)\n```/s.exec(page) ?? [];
    const printed = await run('sh', ['-e', '-c', atStack(script)], { cwd: home, env });
    requireSame(printed.trim().split('\n'), shown.split('\n'));
  });
  const { accountKey } = JSON.parse(readFileSync(join(app, OBJECTS), 'utf8')) as { accountKey: string };
  const account = { LATCHKEY_ACCOUNT_KEY: accountKey, LATCHKEY_TRIGGERS_URL: urls.TRIGGERS };
  for (const command of [
    ...[
      'account show',
      'account export',
      'keys list',
      'groups list',
      'wallets list',
      'actions list',
      'runs list',
    ],
    ...['credit show', 'credit ledger', 'secrets list', 'transactions list', 'triggers list'],
  ])
    await check(`latchkey ${command}`, () =>
      run('latchkey', ['--json', ...command.split(' ')], { cwd: home, env: { ...env, ...account } }),
    );
}

/** Runs the program of objects with the packed SDK. */
async function useObjects(app: string, command: string): Promise<Row[]> {
  const args = ['objects.ts', command, OBJECTS];
  const printed = await run(process.execPath, args, { cwd: app, env: { ...urls, RECEIVER } });
  return printed
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

async function packClients(older: string, directory: string): Promise<string> {
  const script =
    "import { installPacked } from '@latchkey/testing/installed'; console.log((await installPacked(['sdk', 'cli'])).directory)";
  const env = { TMPDIR: directory, [PACKED_VARIABLE]: directory };
  const printed = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: older, env });
  const app = printed.trim();
  cpSync(join(import.meta.dirname, 'objects.ts'), join(app, 'objects.ts'));
  return app;
}

const versionOf = (checkout: string): string =>
  JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).version;

/** Raises the version of a checkout, and commits it. */
async function raise(cwd: string, version: string): Promise<void> {
  await run('npm', ['run', 'raise', '--', version], { cwd });
  const author = ['-c', 'user.name=Rehearsal', '-c', 'user.email=rehearsal@localhost'];
  await run('git', [...author, 'commit', '--quiet', '--all', '--message', version], { cwd });
}

async function checkUpdated(
  table: Table,
  { newer, data, version }: Record<'newer' | 'data' | 'version', string>,
) {
  await table.check(`the services have the version ${version}`, async () => {
    const reply = (await (await fetch(`${urls.RELAYER}/core/v1/version`)).json()) as { version: string };
    if (reply.version !== version) throw new Error(`the relayer has ${reply.version}`);
  });
  await table.check('the ledger verifies', async () => {
    const password = readFileSync(join(data, 'postgres/password'), 'utf8').trim();
    const DATABASE_URL = `postgresql://latchkey:${encodeURIComponent(password)}@127.0.0.1:${5433 + OFFSET}/relayer`;
    const archives = join(data, 'archives');
    mkdirSync(archives);
    const env = { DATABASE_URL, RPC_URL: urls.RPC, DEPLOYMENTS_DIR: join(data, 'deployments') };
    const args = ['run', '-s', 'credit', '--', 'verify', '--dir', archives];
    console.log((await run('npm', args, { cwd: newer, env })).trim());
  });
}

/** Rehearses the update from a tag, a branch or a commit. Resolves to whether everything held. */
export async function rehearse(from: string): Promise<boolean> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  using directory = temporaryDirectory(tmpdir());
  // PostgreSQL of a checkout runs as another user.
  chmodSync(directory.path, 0o755);
  const [older, newer, data] = ['older', 'newer', 'data'].map((name) => join(directory.path, name)) as [
    string,
    string,
    string,
  ];
  const table = openTable();
  await checkOut(from, older);
  const app = await packClients(older, directory.path);
  const before = await startStack(older, data);
  await useObjects(app, 'make');
  const broken = (await useObjects(app, 'check')).filter(({ fault }) => fault !== undefined);
  if (broken.length > 0) throw new Error(`before the update: ${JSON.stringify(broken, null, 2)}`);
  const released = await readOperations();
  await before.stop();

  await checkOut('HEAD', newer);
  const version = nextVersion(versionOf(older), versionOf(newer));
  await raise(newer, version);
  const dryRun = ['run', 'release', '--', '--dry-run'];
  await table.check(`${version} could be published`, () => run('npm', dryRun, { cwd: newer }));
  const after = await startStack(newer, data);
  if (after.output().includes('the contracts have changed'))
    await table.check('the contract is upgraded', () => upgradeContract(newer, data));
  await checkUpdated(table, { newer, data, version });
  for (const row of await useObjects(app, 'check-updated')) table.add(row);
  await checkClients(table, older, app, after.env);
  const present = await readOperations();
  await after.stop();
  const logs = ['relayer', 'triggers'].map((name) => readFileSync(join(data, `logs/${name}.log`), 'utf8'));
  const { faults, unused } = compareOperations(released, present, logs.flatMap(readCalls));
  const operations = `all operations of ${versionOf(older)} exist, and none replies 500`;
  table.add({ check: operations, ...(faults.length > 0 && { fault: faults.join('\n') }) });
  const faulty = table.rows.filter(({ fault }) => fault !== undefined);
  console.log(`no client called ${unused.length} operations: ${unused.join(', ')}`);
  console.log(
    `${versionOf(older)} -> ${version}: ${table.rows.length} checks, ${faulty.length} faults; SDK and command line of ${versionOf(older)}`,
  );
  if (faulty.length > 0) {
    cpSync(join(data, 'logs'), join(root, '.data/rehearsal'), { recursive: true });
    console.log('logs: .data/rehearsal');
  }
  return faulty.length === 0;
}
