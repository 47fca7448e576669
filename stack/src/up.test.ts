import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDataDir } from './temporary-data-dir.ts';

const START_TIMEOUT_MS = 120_000;
const READY = 'Everything is up.';

type Up = {
  child: ChildProcessByStdio<null, Readable, Readable>;
  output: () => string;
  exited: Promise<number | NodeJS.Signals>;
};

const up = (...args: string[]): Up => upWith({}, ...args);

function upWith(settings: Record<string, string>, ...args: string[]): Up {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'up.ts'), ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NO_COLOR: '1',
      RUNTIME_POOL_SIZE: '1',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return { child, output: () => output, exited };
}

const anyPorts = [
  '--port',
  '--triggers-port',
  '--dashboard-port',
  '--indexer-port',
  '--chain-port',
  '--stripe-port',
  '--postgres-port',
].flatMap((option) => [option, '0']);

async function until(what: string, isSo: () => boolean, output: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`not in time: ${what}\n${output()}`);
    await delay(50);
  }
}

async function ready({ output, child }: Up): Promise<void> {
  await until('ready', () => output().includes(READY) || child.exitCode !== null, output);
  expect(output()).toContain(READY);
}

/** Returns the processes that have the directory in their arguments or environment. */
function findProcesses(dataDir: string): string[] {
  return execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && (line.includes(dataDir) || readEnvironment(line).includes(dataDir)));
}

function readEnvironment(line: string): string {
  try {
    return readFileSync(`/proc/${Number.parseInt(line, 10)}/environ`, 'utf8');
  } catch {
    return '';
  }
}

/** Runs the command that the program printed. */
function firstCall(output: string): unknown {
  const command = output.slice(output.indexOf('  curl')).trim();
  const end = command.indexOf("'\n", command.indexOf('-d '));
  return JSON.parse(
    execFileSync('sh', ['-c', `${command.slice(0, end + 1)} --silent --fail`], { encoding: 'utf8' }),
  );
}

/** Runs an action with the printed usage key. */
async function runWithTestKey(output: string): Promise<unknown> {
  const [, key = ''] = /export USAGE_API_KEY=(\S+)\n/.exec(output) ?? [];
  expect(output).toContain('A prepared account, for this stack only');
  expect(output).toMatch(/export PRIVATE_KEY=0x[0-9a-f]{64} /);
  const response = await fetch(`${output.match(/http\S+\/core\/v1/)?.[0]}/svc_action`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': key },
    body: JSON.stringify({ code: 'const main = () => "ran"' }),
  });
  return response.json();
}

async function accountExists({ output }: Up, key: string): Promise<unknown> {
  const baseUrl = output().match(/http\S+\/core\/v1/)?.[0];
  const response = await fetch(`${baseUrl}/account_exists`, { headers: { 'X-Api-Key': key } });
  return response.json();
}

test(
  'starts, prints a working call, survives its own kill -9, stops on a signal, restarts, starts without starter credit, and leaves no process',
  async () => {
    const dataDir = await temporaryDataDir();
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const first = up('--data-dir', dataDir, ...anyPorts);
    await ready(first);
    const { api_key: key } = firstCall(first.output()) as { api_key: string };
    expect(await runWithTestKey(first.output())).toMatchObject({ has_error: false, response: 'ran' });
    expect(findProcesses(dataDir).length).toBeGreaterThanOrEqual(4);

    first.child.kill('SIGKILL');
    expect(await first.exited).toBe('SIGKILL');
    // Immediately: it must wait for the processes of the first one.
    const second = up('--data-dir', dataDir, ...anyPorts);
    await ready(second);
    expect(second.output()).toContain('waiting for the processes of a killed stack to end');
    expect(await accountExists(second, key)).toBe(true);

    const third = up('--data-dir', dataDir, ...anyPorts);
    expect(await third.exited).toBe(1);
    expect(third.output()).toMatch(/Another stack \(process \d+\) uses this data directory/);

    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);
    expect(second.output()).toMatch(/stopped\n$/);

    const imported = join(dataDir, 'runner', 'imports', 'left');
    await mkdir(dirname(imported), { recursive: true });
    await writeFile(imported, '');
    const fresh = upWith({ STARTER_CREDIT_CENTS: '0' }, '--data-dir', dataDir, '--fresh', ...anyPorts);
    await ready(fresh);
    expect(fresh.output()).toMatch(/deleting the blocks, databases and keys in .*test-/);
    expect(await accountExists(fresh, key)).toBe(false);
    expect(existsSync(imported)).toBe(false);
    expect(fresh.output()).toMatch(/No prepared account: \/core\/v1\/create_wallet returned 402: /);
    expect(fresh.output()).not.toContain('export ');
    expect(fresh.output()).not.toContain('the log of');
    expect(readdirSync(join(dataDir, 'logs'))).toContain('relayer.log');
    expect(firstCall(fresh.output())).toMatchObject({ api_key: expect.any(String) });
    fresh.child.kill('SIGINT');
    expect(await fresh.exited).toBe(0);
    expect(findProcesses(dataDir)).toEqual([]);
  },
  3 * START_TIMEOUT_MS,
);

test('a signal aborts a start', async () => {
  const dataDir = await temporaryDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const { child, output, exited } = up('--data-dir', dataDir, ...anyPorts);
  await until('deploying', () => output().includes('PostgreSQL and chain started'), output);
  const signalledAt = performance.now();
  child.kill('SIGINT');
  expect(await exited).toBe(0);
  expect(performance.now() - signalledAt).toBeLessThan(15_000);
  expect(output()).toMatch(/stopped\n$/);
  expect(output()).not.toContain(READY);
  expect(findProcesses(dataDir)).toEqual([]);
});

describe('refuses with a message', () => {
  test('a port in use', async () => {
    const dataDir = await temporaryDataDir();
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { exited, output } = up('--data-dir', dataDir, ...anyPorts, '--port', String(port));
    expect(await exited).toBe(1);
    expect(output()).toContain(`Port ${port} (relayer) cannot be used: listen EADDRINUSE`);
  });

  test.each([
    [['--port', '70000'], '--port: 70000 is not a port: give a number from 0 to 65535'],
    [['--data-dir', '', '--fresh'], '--data-dir is empty: give a path, or omit it'],
    [['--colour'], "Unknown option '--colour'"],
  ])('%j', async (args, message) => {
    const { exited, output } = up(...args);
    expect(await exited).toBe(1);
    expect(output()).toContain(message);
  });
});

test('wrong settings of any service are refused before the contract is deployed', async () => {
  const dataDir = await temporaryDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const wrong = { RUN_TIMEOUT_MS: 'soon', RUN_RETENTION_DAYS: '0' };
  const { exited, output } = upWith(wrong, '--data-dir', dataDir, ...anyPorts);
  expect(await exited).toBe(1);
  expect(output()).toMatch(
    /relayer: RUN_TIMEOUT_MS: .*\nrunner: RUN_TIMEOUT_MS: .*\ntriggers: RUN_RETENTION_DAYS: /,
  );
  expect(output()).not.toContain('AccountConfig deployed');
});

test('--help starts nothing', async () => {
  const { exited, output } = up('--help');
  expect(await exited).toBe(0);
  expect(output()).toContain('--fresh');
});
