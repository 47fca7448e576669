/** The contract with the Deno that is installed: forks whose program is a probe, as if an action had escaped into its code. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { denoBinary } from './deno-binary.ts';
import type { DenoProcess, Program } from './deno-process.ts';
import { type ForkServer, startForkServer } from './fork-server.ts';
import { buildSyscallFilter, refusedCalls } from './syscall-filter.ts';
import { eventually, isRunning, kernelLimits } from './testing.ts';

const directory = await mkdtemp(join(tmpdir(), 'latchkey-fork-server-'));
afterAll(() => rm(directory, { recursive: true }));
const childDir = fileURLToPath(new URL('./child/', import.meta.url));

const programOf = (own: string, scriptPath: string): Program => ({
  args: [scriptPath],
  cwd: '/',
  socketsDir: join(own, 'sockets'),
  memoryLimitMb: 64,
  timeoutMs: 5_000,
  walls: { deno: denoBinary(), wrap: (command) => command },
});

let programs = 0;
/**
 * Starts a template with the program, which begins in a fork. `call` makes a system call and returns its result, or the number of its
 * error as text; `print` writes JSON.
 */
async function startProgram(
  text: string,
  options: Pick<BuildOptions, 'define' | 'banner'> = {},
): Promise<ForkServer & AsyncDisposable> {
  programs += 1;
  const own = join(directory, String(programs));
  await mkdir(join(own, 'sockets'), { recursive: true });
  const scriptPath = join(own, 'runtime.js');
  await build({
    stdin: {
      contents: `
        import { serveForks } from './fork.ts';
        const { syscall, errnoAt, memcpy } = Deno.dlopen('libc.so.6', {
          syscall: { parameters: ['i64', 'i64', 'i64', 'i64', 'i64'], result: 'i64' },
          errnoAt: { name: '__errno_location', parameters: [], result: 'pointer' },
          memcpy: { parameters: ['buffer', 'pointer', 'usize'], result: 'pointer' },
        }).symbols;
        const call = (...args) => {
          const result = Number(syscall(...[...args, 0, 0, 0, 0].slice(0, 5).map(BigInt)));
          if (result !== -1) return result;
          const errno = new Int32Array(1);
          memcpy(new Uint8Array(errno.buffer), errnoAt(), 4n);
          return 'error ' + errno[0];
        };
        const print = (value) => Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(value) + '\\n'));
        serveForks();
        ${text}`,
      resolveDir: childDir,
      loader: 'ts',
    },
    bundle: true,
    outfile: scriptPath,
    format: 'esm',
    platform: 'neutral',
    target: 'esnext',
    logLevel: 'silent',
    ...options,
  });
  const template = await startForkServer(programOf(own, scriptPath));
  return { ...template, [Symbol.asyncDispose]: template.close };
}

/** Returns the next line that the process prints. */
const nextLine = (process: DenoProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += chunk;
      if (!text.includes('\n')) return;
      process.output.off('data', onData);
      resolve(JSON.parse(text));
    };
    process.output.on('data', onData);
    void process.exited.then((exit) => reject(new Error(`the process ended: ${JSON.stringify(exit)}`)));
  });
const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

const WAIT = 'await Deno.stdin.read(new Uint8Array(1));';

describe.skipIf(buildSyscallFilter() === undefined)('a fork', () => {
  const onX64 = process.arch === 'x64' ? 0 : 1;
  const EPERM = 'error 1';
  const ENOSYS = 'error 38';
  const [clone, ioctl, fcntl, prlimit, getpid] =
    process.arch === 'x64' ? [56, 16, 72, 302, 39] : [220, 29, 25, 261, 172];

  test('makes no call that reaches another process or more of the kernel, and makes the others', async () => {
    const refused = Object.entries(refusedCalls).flatMap(([name, numbers]) =>
      numbers[onX64] === undefined ? [] : [[name, numbers[onX64]] as const],
    );
    await using template = await startProgram(`
      print({
        refused: ${JSON.stringify(refused)}.map(([name, number]) => [name, call(number)]),
        // Shared memory, and not a thread: CLONE_VM | CLONE_FS.
        clone: call(${clone}, 0x300),
        clone3: call(435),
        typing: call(${ioctl}, 0, 0x5412),
        ioctlOwner: [0x8901, 0x8902].map((request) => call(${ioctl}, 0, request)),
        fcntlOwner: [8, 10, 15].map((command) => call(${fcntl}, 0, command)),
        fcntlLease: [1024, 1026].map((command) => call(${fcntl}, 0, command)),
        fcntl: call(${fcntl}, 0, 1),
        limitsOfAnother: call(${prlimit}, 1, 7),
        ownLimits: call(${prlimit}, 0, 7),
        x32: call(${process.arch === 'x64' ? 0x40000000 + getpid : 57_000}),
        getpid: call(${getpid}) > 0,
        thread: await crypto.subtle.digest('SHA-256', new Uint8Array(1)).then(({ byteLength }) => byteLength),
        permissions: ['ffi', 'read', 'write', 'net', 'env', 'sys', 'run', 'import'].map(
          (name) => Deno.permissions.requestSync({ name }).state),
      });`);
    const forked = await template.fork();
    expect(await nextLine(forked)).toEqual({
      refused: refused.map(([name]) => [name, EPERM]),
      clone: EPERM,
      clone3: ENOSYS,
      typing: EPERM,
      ioctlOwner: [EPERM, EPERM],
      fcntlOwner: [EPERM, EPERM, EPERM],
      fcntlLease: [EPERM, EPERM],
      fcntl: 0,
      limitsOfAnother: EPERM,
      ownLimits: 0,
      x32: process.arch === 'x64' ? EPERM : ENOSYS,
      getpid: true,
      thread: 32,
      permissions: Array(8).fill('denied'),
    });
  });

  test('shares no descriptor and no writable memory with the template or another fork', async () => {
    await using template = await startProgram(`print(1); ${WAIT}`);
    const forks = [await template.fork(), await template.fork()];
    await Promise.all(forks.map(nextLine));
    const pids = forks.map((forked) => forked.pid() as number);
    const sockets = [parentOf(pids[0] as number), ...pids].map((pid) =>
      readdirSync(`/proc/${pid}/fd`)
        .map((name) => readlinkSync(`/proc/${pid}/fd/${name}`))
        .filter((target) => !target.startsWith('anon_inode:')),
    );
    for (const pid of pids) expect(readFileSync(`/proc/${pid}/maps`, 'latin1')).not.toMatch(/ .w.s /);
    const distinct = sockets.map((targets) => new Set(targets));
    for (const targets of distinct) expect(targets.size).toBeGreaterThan(1);
    expect(new Set(sockets.flat()).size).toBe(distinct.reduce((sum, { size }) => sum + size, 0));
  });

  test('has the limits of the kernel on private memory and processor time', async () => {
    await using template = await startProgram(`print(1); ${WAIT}`);
    const forked = await template.fork();
    await nextLine(forked);
    expect(kernelLimits(forked.pid() as number)).toMatchObject({
      'Max data size': (640 + 4 * 64) * 2 ** 20,
      'Max cpu time': 70,
    });
  });

  test('has event loop, timers and threads of its own', async () => {
    await using template = await startProgram(`
      const bytes = new Uint8Array(1);
      await Deno.stdin.read(bytes);
      const sums = [];
      for (let i = 0; i < 20; i++) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        const key = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveBits']);
        const salted = { name: 'PBKDF2', salt: bytes, iterations: 10, hash: 'SHA-256' };
        sums.push(new Uint8Array(await crypto.subtle.deriveBits(salted, key, 8))[0]);
      }
      print([bytes[0], new Set(sums).size]);`);
    const forks = await Promise.all(Array.from({ length: 6 }, () => template.fork()));
    for (const [index, { input }] of forks.entries()) input.write(Buffer.from([index]));
    expect(await Promise.all(forks.map(nextLine))).toEqual(forks.map((_, index) => [index, 1]));
  });

  test('ends when its input closes, and tells its exit code', async () => {
    await using template = await startProgram(`${WAIT} Deno.exit(7);`);
    const forked = await template.fork();
    forked.input.end();
    expect(await forked.exited).toEqual({ code: 7, signal: null, stderrTail: '' });
    expect(forked.pid()).toBeUndefined();
  });

  test('that is killed, and one that closes its streams and stays, are gone', async () => {
    await using template = await startProgram(`
      print(1);
      await Deno.stdin.read(new Uint8Array(1));
      for (let i = 0; i < 64; i++) call(${process.arch === 'x64' ? 3 : 57}, i);
      for (;;);`);
    const [killed, stays] = [await template.fork(), await template.fork()];
    await Promise.all([nextLine(killed), nextLine(stays)]);
    const pids = [killed.pid(), stays.pid()] as number[];
    killed.kill();
    expect(await killed.exited).toMatchObject({ code: null, signal: 'SIGKILL' });
    stays.input.write('x');
    expect(await stays.exited).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(pids.some(isRunning)).toBe(false);
  });

  test('tells why it aborted', async () => {
    await using template = await startProgram(`
      print(1);
      await Deno.stdin.read(new Uint8Array(1));
      const kept = [];
      for (;;) kept.push(new Array(1e5).fill({}));`);
    const forked = await template.fork();
    await nextLine(forked);
    forked.input.write('x');
    const { signal, stderrTail } = await forked.exited;
    expect([signal, stderrTail]).toEqual([
      expect.stringMatching(/SIGTRAP|SIGILL/),
      expect.stringMatching(/out of memory/),
    ]);
  });
});

describe.skipIf(buildSyscallFilter() === undefined)('a template', () => {
  test('that is killed ends its forks, and the next fork starts another one', async () => {
    await using template = await startProgram(`print(1); ${WAIT}`);
    const forked = await template.fork();
    await nextLine(forked);
    const pid = forked.pid() as number;
    process.kill(parentOf(pid), 'SIGKILL');
    expect(await forked.exited).toMatchObject({ code: null });
    await eventually(() => !isRunning(pid));
    expect(await nextLine(await template.fork())).toBe(1);
  });

  test('ends with all forks when it is closed', async () => {
    const template = await startProgram(`print(1); ${WAIT}`);
    const forked = await template.fork();
    await nextLine(forked);
    const pids = [forked.pid() as number, parentOf(forked.pid() as number)];
    await template.close();
    await eventually(() => !pids.some(isRunning));
  });

  test('that does not start rejects with what it wrote', async () => {
    await mkdir(join(directory, 'sockets'));
    const scriptPath = join(directory, 'broken.js');
    await writeFile(scriptPath, 'throw new Error("broken script")');
    await expect(startForkServer(programOf(directory, scriptPath))).rejects.toThrow('broken script');
  });

  test('of a Deno with which forks are not proved does not start', async () => {
    await expect(startProgram('', { define: { 'Deno.version.deno': '"9.9.9"' } })).rejects.toThrow(
      /forks are proved with Deno [\d.]+, and this is 9\.9\.9/,
    );
  });
});

test('a process ends immediately with the name of a private function that its Deno does not have', async () => {
  const banner = {
    js: 'const Deno = { __proto__: globalThis.Deno, [globalThis.Deno.internal]: { ...globalThis.Deno[globalThis.Deno.internal], core: {} } };',
  };
  await expect(startProgram('', { banner })).rejects.toThrow(/Deno [\d.]+ has no private evalContext/);
});
