/**
 * Makes the walls of this machine without the tools that the arguments name, lets two processes break out behind them, one that started
 * alone and a fork of the template, and prints what they reached as JSON.
 */
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf, type DenoProcess, denoBinary, spawnForks } from '@latchkey/fork-server';
import { startDeno } from '@latchkey/fork-server/testing';
import { build } from 'esbuild';
import { programOf, socketsDirOf } from '../src/processes/boot.ts';
import { findWalls } from '../src/processes/walls.ts';
import { type Bait, BREAKOUT } from './breakout.ts';

const missing = process.argv.slice(2);
const findTool = (name: string): string | undefined =>
  missing.includes(name) ? undefined : `/usr/bin/${name}`;

await using opened = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), 'latchkey-breakout-'));
opened.defer(() => rm(directory, { recursive: true, force: true }));
await chmod(directory, 0o711);
const cwd = join(directory, 'empty');
await mkdir(cwd);
await chmod(cwd, 0o555);
const secret = join(directory, 'secret');
await writeFile(secret, 'the key', { mode: 0o644 });
const scriptPath = join(directory, 'runtime.js');
const socketsDir = socketsDirOf(scriptPath);

const write = async (begin: string): Promise<void> => {
  await build({
    stdin: {
      contents: `
        ${BREAKOUT}
        ${begin}
        const chunk = new Uint8Array(65536);
        const size = c.read(0, chunk, 65536n);
        const json = new TextDecoder().decode(chunk.subarray(0, size));
        const reply = new TextEncoder().encode(JSON.stringify(attack(JSON.parse(json))) + '\\n');
        c.write(1, reply, BigInt(reply.length));`,
      resolveDir: fileURLToPath(new URL('../src/child/', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    outfile: scriptPath,
    format: 'esm',
    platform: 'neutral',
    target: 'esnext',
    logLevel: 'silent',
  });
  await chmod(scriptPath, 0o644);
};

const listen = (path: string | number): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy()).listen(path, () => resolve(server));
  });
const abstractSocket = `latchkey-breakout-${process.pid}`;
const socketPath = join(directory, 'socket');
const port = await listen(0);
const servers = [await listen(`\0${abstractSocket}`), await listen(socketPath), port];
for (const server of servers) opened.defer(() => void server.close());
await chmod(socketPath, 0o666);
const memory = Number(
  /\d+/.exec(execFileSync('ipcmk', ['-M', '4096', '-p', '0666'], { encoding: 'utf8' }))?.[0],
);
opened.defer(() => void execFileSync('ipcrm', ['-m', String(memory)]));

const attack = (process: DenoProcess, bait: Bait): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let text = '';
    process.output.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.endsWith('\n')) resolve(JSON.parse(text));
    });
    void process.exited.then((exit) => reject(new Error(`the process ended: ${JSON.stringify(exit)}`)));
    process.input.write(JSON.stringify(bait));
  });

await writeFile(scriptPath, '');
// A copy, because the attack replaces it where it can.
const deno = join(directory, 'deno-binary');
await copyFile(denoBinary(), deno);
await chmod(scriptPath, 0o644);
const walls = await findWalls({ directory, deno, scriptPath, cwd, socketsDir, findTool });
if (process.getuid?.() === 0 && !walls.standing.includes('user'))
  throw new Error('the attack would have the rights of root');
const program = programOf({ scriptPath, cwd, memoryLimitMb: 64, timeoutMs: 60_000, walls });
const bait = {
  pids: [process.pid, process.ppid],
  hidden: [
    ...[
      '/etc',
      '/etc/passwd',
      '/root',
      '/home',
      '/var',
      '/run',
      '/dev',
      '/dev/null',
      '/dev/shm',
      '/sys',
      '/sys/fs/cgroup',
      '/bin/sh',
    ],
    ...[
      '/proc/self/maps',
      '/proc/1',
      '/proc/sys',
      '/proc/sys/kernel/hostname',
      '/usr/bin/node',
      secret,
      import.meta.filename,
    ],
  ],
  program: [scriptPath, walls.deno],
  directories: [
    cwd,
    directory,
    socketsDir,
    '/',
    '/tmp',
    '/var/tmp',
    '/dev/shm',
    '/usr/lib',
    '/proc',
    join(directory, 'deno'),
  ],
  sockets: [socketPath],
  abstractSocket,
  tcpPort: (port.address() as { port: number }).port,
  memories: [memory],
};
/** Process ids as they can be in the namespace of the processes. */
const inside = walls.standing.includes('namespaces')
  ? Array.from({ length: 40 }, (_, index) => index + 1)
  : [];

await write('');
const first = startDeno(program, { flags: ['--allow-ffi'] });
const alone = await attack(first, { ...bait, pids: [...bait.pids, ...inside] });
first.kill();
await first.exited;

await write(`import { serveForks } from '@latchkey/fork-server/fork'; serveForks();`);
const { spawn, close, forkError } = await spawnForks(program);
if (forkError) throw forkError;
opened.defer(close);
const forks = [await spawn(), await spawn()] as const;
const siblings = [forks[1].pid() as number];
const templates = parentsOf(siblings[0] as number);
const forked = await attack(forks[0], { ...bait, pids: [...siblings, ...templates, ...inside] });
const runner = await attack(forks[1], bait);
process.stdout.write(JSON.stringify({ standing: walls.standing, alone, forked, runner }));

/** Returns the process whose child has this id, as a list. */
function parentsOf(pid: number, from = process.pid): number[] {
  const children = childrenOf(from);
  return children.includes(pid) ? [from] : children.flatMap((child) => parentsOf(pid, child));
}
