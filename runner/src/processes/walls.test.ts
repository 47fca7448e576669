/** Each wall alone: Deno has every permission, as if an action had escaped from it, and no other wall stands. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { denoBinary } from '@latchkey/fork-server';
import { descendants, eventually, isRunning } from '@latchkey/fork-server/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { plainSpawner, serve } from '../testing.ts';
import { startProcess } from './action-process.ts';
import { writeProgram } from './bundle.ts';
import { findWalls, type WallName, type Walls, type WallsOptions } from './walls.ts';

const directory = await mkdtemp(join(tmpdir(), 'latchkey-walls-'));
const inDirectory = (name: string) => JSON.stringify(join(directory, name));
const paths = {
  scriptPath: join(directory, 'probe.js'),
  cwd: join(directory, 'empty'),
  cacheDir: join(directory, 'deno'),
  socketsDir: join(directory, 'sockets'),
};
await chmod(directory, 0o711);
await mkdir(paths.cwd);
await chmod(paths.cwd, 0o755);
await mkdir(paths.cacheDir);
await writeFile(join(directory, 'secret'), 'the key', { mode: 0o600 });
await writeFile(join(directory, 'public'), 'readable');
await chmod(join(directory, 'public'), 0o644);
afterAll(() => rm(directory, { recursive: true }));

async function build(options: Pick<WallsOptions, 'wanted' | 'findTool'> = {}): Promise<Walls> {
  await writeScript('');
  return findWalls({ directory, deno: denoBinary(), ...paths, ...options });
}
/** The mode of a file depends on the umask. */
async function writeScript(text: string): Promise<void> {
  await writeFile(paths.scriptPath, text);
  await chmod(paths.scriptPath, 0o644);
}
const { standing: available } = await build();
const withoutBubblewrap = { findTool: (name: string) => (name === 'bwrap' ? undefined : `/usr/bin/${name}`) };

/** Starts Deno with every permission behind the walls. */
function start({ wrap, deno }: Walls): ChildProcessByStdio<null, Readable, Readable> {
  const [command = '', ...args] = wrap([deno, 'run', '-A', '--no-remote', '--no-npm', paths.scriptPath]);
  return spawn(command, args, {
    cwd: paths.cwd,
    env: { DENO_DIR: paths.cacheDir, DENO_NO_UPDATE_CHECK: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/** Listens on a Unix socket, as the runner and PostgreSQL do. */
async function listenOnPath(path: string): Promise<AsyncDisposable> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** Returns what each expression resolves to, or the name of its error. */
async function probe(walls: Walls, expressions: Record<string, string>): Promise<Record<string, unknown>> {
  const cases = Object.entries(expressions).map(
    ([name, text]) => `${JSON.stringify(name)}: async () => (${text})`,
  );
  await writeScript(
    `const answers = {};
    for (const [name, ask] of Object.entries({ ${cases.join(',\n')} })) {
      try { answers[name] = await ask() } catch (error) { answers[name] = error.name + (error.code ? ' ' + error.code : '') }
    }
    console.log(JSON.stringify(answers));`,
  );
  const child = start(walls);
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk));
  await new Promise((resolve) => child.once('close', resolve));
  if (output === '') throw new Error(errors);
  return JSON.parse(output);
}

describe.skipIf(!available.includes('namespaces'))('namespaces', () => {
  test.each([
    ['made by the first tool', {}],
    ['made by unshare', withoutBubblewrap],
  ])('%s have no network and no process of the machine', async (_name, tools) => {
    const walls = await build({ wanted: ['namespaces'], ...tools });
    expect(walls.standing).toEqual(['namespaces', 'files']);
    await using server = await serve((_request, response) => response.end('reached'));
    const asked = {
      tcp: `Deno.connect({ hostname: '127.0.0.1', port: ${server.port} }).then(() => 'connected')`,
      http: `fetch('${server.url}').then((response) => response.text())`,
      interfaces: 'Deno.networkInterfaces().filter(({ name }) => name !== "lo").length',
      signal: `Deno.kill(${process.pid}, 'SIGCONT') ?? 'sent'`,
      pid: 'Deno.pid',
    };
    const outside = await probe(await build({ wanted: [] }), asked);
    expect(outside).toMatchObject({ tcp: 'connected', http: 'reached', signal: 'sent' });
    const inside = await probe(walls, asked);
    expect(inside).toMatchObject({ interfaces: 0, signal: 'NotFound' });
    expect(inside.tcp).toMatch(/^(ConnectionRefused|NetworkUnreachable) /);
    expect(inside.http).toBe('TypeError');
    expect(inside.pid).toBeLessThan(10);
  });
});

describe.skipIf(!available.includes('files'))('files', () => {
  test.each([
    ['made by the first tool', {}],
    ['made by unshare', withoutBubblewrap],
  ])(
    '%s has nothing but Deno, its libraries and the script, and none can be written',
    async (_name, tools) => {
      const walls = await build({ wanted: ['files'], ...tools });
      expect(walls.standing).toEqual(['namespaces', 'files']);
      await using _sockets = await listenOnPath(join(directory, 'socket'));
      const asked = {
        own: `Deno.readTextFileSync(${JSON.stringify(paths.scriptPath)}).length > 0`,
        neighbour: `Deno.readTextFileSync(${inDirectory('public')})`,
        secret: `Deno.readTextFileSync(${inDirectory('secret')})`,
        socket: `Deno.connect({ transport: 'unix', path: ${inDirectory('socket')} }).then(() => 'connected')`,
        users: "Deno.readTextFileSync('/etc/passwd').length > 0",
        processes: "[...Deno.readDirSync('/proc')].map(({ name }) => name)",
        devices: "[...Deno.readDirSync('/dev')].length > 0",
        repository: `Deno.readTextFileSync(${JSON.stringify(import.meta.filename)}).length > 0`,
        shell: "new Deno.Command('/bin/sh', { args: ['-c', 'exit 0'] }).outputSync().success",
        write: `Deno.writeTextFileSync(${inDirectory('empty/left')}, 'x') ?? 'written'`,
        overwrite: `Deno.writeTextFileSync(${JSON.stringify(paths.scriptPath)}, 'x') ?? 'written'`,
        root: "Deno.writeTextFileSync('/left', 'x') ?? 'written'",
        cache: `Deno.writeTextFileSync(${inDirectory('deno/left')}, 'x') ?? 'written'`,
      };
      expect(await probe(walls, asked)).toEqual({
        own: true,
        neighbour: 'NotFound ENOENT',
        secret: 'NotFound ENOENT',
        socket: 'NotFound ENOENT',
        users: 'NotFound ENOENT',
        processes: ['self'],
        devices: 'NotFound ENOENT',
        repository: 'NotFound ENOENT',
        shell: 'NotFound ENOENT',
        write: expect.stringMatching(/EROFS|NotFound/),
        overwrite: expect.stringMatching(/EROFS/),
        root: expect.stringMatching(/EROFS/),
        cache: expect.stringMatching(/EROFS|NotFound/),
      });
      const outside = await probe(await build({ wanted: [] }), { secret: asked.secret, cache: asked.cache });
      expect(outside).toEqual({ secret: 'the key', cache: 'written' });
    },
  );
});

describe.skipIf(!available.includes('user'))('user', () => {
  test('is not the one of the runner', async () => {
    const walls = await build({ wanted: ['user'] });
    expect(walls.standing).toEqual(['user']);
    const asked = {
      secret: `Deno.readTextFileSync(${inDirectory('secret')})`,
      write: `Deno.writeTextFileSync(${inDirectory('public')}, 'x') ?? 'written'`,
      environment: `Deno.readTextFileSync('/proc/${process.pid}/environ').length`,
      memory: `Deno.openSync('/proc/${process.pid}/mem').rid`,
      signal: `Deno.kill(${process.pid}, 'SIGCONT') ?? 'sent'`,
      ids: '[Deno.uid(), Deno.gid()]',
      port: "Deno.listen({ hostname: '127.0.0.1', port: 81 }).addr.port",
    };
    expect(await probe(walls, asked)).toEqual({
      secret: 'PermissionDenied EACCES',
      write: 'PermissionDenied EACCES',
      environment: 'PermissionDenied EACCES',
      memory: 'PermissionDenied EACCES',
      signal: 'PermissionDenied',
      ids: [65_530, 65_530],
      port: 'PermissionDenied EACCES',
    });
  });
});

describe.skipIf(available.length === 0)('a process behind the walls', () => {
  test.each([
    ['all walls', {}],
    ['the walls without bubblewrap', withoutBubblewrap],
  ])('ends with its first process: %s', async (_name, tools) => {
    const walls = await build(tools);
    await writeScript("console.log('begun'); for (;;);");
    const child = start(walls);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const inside = descendants(child.pid ?? 0);
    expect(inside.length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await eventually(() => !inside.some(isRunning));
  });
});

test('a process behind a wall has no cache of Deno on disk, which it could change for later ones', async () => {
  const scriptPath = await writeProgram(directory);
  const cached = async (wanted: WallName[]): Promise<string[]> => {
    const cacheDir = join(directory, `cache-${wanted}`);
    await mkdir(cacheDir);
    await chmod(cacheDir, 0o777);
    const program = { ...paths, scriptPath, cacheDir };
    const walls = await findWalls({ ...program, deno: denoBinary(), directory, wanted });
    const spawner = plainSpawner({ ...program, memoryLimitMb: 64, timeoutMs: 60_000, walls });
    const started = await startProcess({ spawner, maxFrameBytes: 1_000_000 });
    started.kill();
    await started.exited;
    return readdir(cacheDir);
  };
  expect(await cached([])).not.toEqual([]);
  for (const wall of available) expect(await cached([wall])).toEqual([]);
});

test('without a tool no wall stands, and Deno starts', async () => {
  const walls = await build({ findTool: () => undefined });
  expect(walls.standing).toEqual([]);
  expect(await probe(walls, { pid: 'Deno.pid > 0' })).toEqual({ pid: true });
});

describe.skipIf(!available.includes('namespaces'))('a process that escaped and started others', () => {
  test.each([
    ['all walls', {}],
    ['the walls without bubblewrap', withoutBubblewrap],
  ])('is killed with them: %s', async (_name, options) => {
    const walls = await build(options);
    const ready = JSON.stringify({ type: 'ready' });
    await writeScript(`
      const json = new TextEncoder().encode('${ready}');
      const frame = new Uint8Array(8 + json.length);
      const view = new DataView(frame.buffer);
      view.setUint32(0, 4 + json.length);
      view.setUint32(4, json.length);
      frame.set(json, 8);
      Deno.stdout.writeSync(frame);
      await Deno.stdin.read(new Uint8Array(1));
      try { new Deno.Command('/bin/sleep', { args: ['600'] }).spawn() } catch {}
      for (;;);`);
    const before = new Set(descendants(process.pid));
    const spawner = plainSpawner({
      ...paths,
      memoryLimitMb: 64,
      timeoutMs: 60_000,
      walls: {
        ...walls,
        wrap: (command) =>
          walls.wrap(
            command.flatMap((part) =>
              /^--(deny|allow)-/.test(part) ? [] : part === 'run' ? ['run', '-A'] : [part],
            ),
          ),
      },
    });
    const escaped = await startProcess({ spawner, maxFrameBytes: 1_000_000 });
    const limits = { timeoutMs: 60_000, maxResponseBytes: 0, maxRequestBodyBytes: 0, maxFrameBytes: 0 };
    await escaped.send({ type: 'run', jsParams: '', ...limits });
    await eventually(() => escaped.cpuMs() > 200);
    const all = descendants(process.pid).filter((pid) => !before.has(pid));
    expect(all.length).toBeGreaterThan(0);
    escaped.kill();
    await escaped.exited;
    await eventually(() => !all.some(isRunning));
  });
});
