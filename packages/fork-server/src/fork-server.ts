/**
 * Forks of one Deno process, the template, which has loaded the program and runs none of its work. A fork takes a tenth of the time of a
 * start. `child/fork.ts` is the template's side. Why a fork is safe, although Deno is not made to be forked:
 *
 * 1. Only the thread that calls `fork` exists in a fork, so no other thread of the template may hold a lock or have work. V8 has no
 *    other one (`--single-threaded`). Threads of Deno's pool are parked: they wait for a signal that never comes, and a fork starts its own.
 * 2. Every descriptor is replaced: streams by own connections, the epoll instance and its wakers by new ones, the others by nothing.
 * 3. Memory is private: V8 excludes its heap from forks, which `MADV_DOFORK` undoes, and no mapping is shared and writable.
 * 4. Random generators that were seeded before the fork must be seeded again by the program.
 * 5. The template has no secret and reads nothing of an action. A fork reads its work after it gave up FFI and the calls of
 *    `syscall-filter.ts`, which also keep forks behind the same walls from each other. Linux ends it with the template.
 *
 * `fork-server.test.ts` checks each of these with the Deno that is installed, and `DENO_VERSION` refuses another one.
 */
import { readdirSync } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getSystemErrorMessage } from 'node:util';
import {
  childrenOf,
  type DenoExit,
  type DenoProcess,
  maxCpuSeconds,
  type Program,
  sendKill,
  signalName,
  startDeno,
  tailOf,
} from './deno-process.ts';
import { descriptorsOf } from './descriptors.ts';
import { REPLY_BYTES, SOCKET_NAME, type TemplateSetup } from './fork-protocol.ts';
import { readKernelFile } from './kernel-file.ts';
import { buildSyscallFilter } from './syscall-filter.ts';

export type ForkServer = {
  /** Makes a process that sends `ready` when it can take a run. Starts the template again when it has ended. */
  fork(): Promise<DenoProcess>;
  /** Ends the template and every fork. */
  close(): Promise<void>;
};

const START_TIMEOUT_MS = 20_000;
/** Half of Deno's pool. A thread that has nothing to do ends after ten seconds. */
const MAX_PARKED = 16;
const POLL_MS = 10;

/** Starts the template. Rejects where Deno cannot be forked. */
export async function startForkServer(program: Program): Promise<ForkServer> {
  const filter = process.platform === 'linux' ? buildSyscallFilter() : undefined;
  if (!filter) throw new Error('this machine has no filter of system calls');
  const connections = await listen(program.socketsDir);
  const start = () => startTemplate(program, connections, filter);
  let current = await start().catch((error) => {
    connections.close();
    throw error;
  });
  const fork = async (): Promise<DenoProcess> => {
    if (current.hasEnded()) current = await start();
    return current.fork();
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    fork() {
      // The connections of concurrent forks could not be told apart.
      const next = last.then(fork);
      last = next.catch(() => {});
      return next;
    },
    async close() {
      await last;
      await current.end();
      connections.close();
    },
  };
}

type Template = { fork: () => Promise<DenoProcess>; hasEnded: () => boolean; end: () => Promise<unknown> };

async function startTemplate(program: Program, connections: Connections, filter: Buffer): Promise<Template> {
  const deno = startDeno(program, { flags: ['--allow-ffi'], args: ['template'], hasCache: false });
  let ended = false;
  void deno.exited.then(() => {
    ended = true;
    connections.reset();
  });
  const replies = readReplies(deno);
  /** Sends a command. The template executes one after the other. */
  const ask: Ask = (command) => {
    const reply = replies.next();
    deno.input.write(`${command}\n`);
    return reply;
  };
  const withinTime = async <T>(work: () => Promise<T>): Promise<T> => {
    const timer = setTimeout(deno.kill, START_TIMEOUT_MS);
    return work().finally(() => clearTimeout(timer));
  };
  const end = (): Promise<unknown> => {
    deno.kill();
    return deno.exited;
  };
  try {
    await withinTime(async () => {
      await replies.next();
      deno.isReady();
      const pid = deno.pid() as number;
      await parkThreads(pid, () => ask('park'));
      const setup: TemplateSetup = {
        descriptors: descriptorsOf(pid),
        socketsDir: program.socketsDir,
        filter: [...filter],
        maxCpuSeconds: maxCpuSeconds(program.timeoutMs),
      };
      await ask(JSON.stringify(setup));
    });
  } catch (error) {
    await end();
    throw error;
  }
  const fork = () => forkTemplate(deno, ask, connections);
  return { fork: () => withinTime(fork), hasEnded: () => ended, end };
}

type Ask = (command: string) => Promise<Reply>;

async function forkTemplate(template: DenoProcess, ask: Ask, connections: Connections): Promise<DenoProcess> {
  const connecting = [connections.next(), connections.next()] as const;
  const wait = async (insidePid: number): Promise<number> => (await ask(`wait ${insidePid}`))[1];
  try {
    const [insidePid] = await ask('fork');
    if (insidePid < 0) throw new Error(`the template failed to fork: ${getSystemErrorMessage(insidePid)}`);
    const pid = findFork(template.pid(), insidePid);
    if (pid === undefined) {
      // The fork ends when its streams close.
      void wait(insidePid).catch(() => {});
      throw new Error('the fork was not found');
    }
    const [channel, errors] = await Promise.all(connecting);
    return forkedProcess({ pid, channel, errors }, () => wait(insidePid));
  } catch (error) {
    connections.reset();
    for (const connection of connecting)
      connection.then(
        (socket) => socket.destroy(),
        () => {}, // its fork failed
      );
    throw error;
  }
}

/**
 * Parks the threads of Deno's pool. Parking takes a thread that has nothing to do, or starts one. When the pool has as many threads as
 * were parked, no thread is left that could hold a lock, or be given the work of a fork, in which it does not exist.
 */
async function parkThreads(pid: number, park: () => Promise<unknown>): Promise<void> {
  for (let parked = 0; ; ) {
    if (parked < MAX_PARKED) {
      await park();
      parked += 1;
    }
    await sleep(POLL_MS);
    const states = readdirSync(`/proc/${pid}/task`)
      .filter((thread) => thread !== String(pid))
      .map((thread) => stateOf(`/proc/${pid}/task/${thread}`));
    if (states.length === parked && states.every((state) => state === 'S')) return;
  }
}

/** Returns the letter of a thread's state. */
const stateOf = (directory: string): string => {
  const stat = readKernelFile(`${directory}/stat`);
  return stat.charAt(stat.lastIndexOf(')') + 2);
};

type Fork = { pid: number; channel: Socket; errors: Socket };

/** @param wait - Resolves to the status of the ended process. */
function forkedProcess({ pid, channel, errors }: Fork, wait: () => Promise<number>): DenoProcess {
  let gone = false;
  let stderrTail = '';
  errors.on('data', (chunk: Buffer) => {
    stderrTail = tailOf(stderrTail, chunk);
  });
  for (const stream of [channel, errors]) stream.on('error', () => {}); // the process is gone; `exited` reports it
  const kill = (): void => {
    if (!gone) sendKill(pid);
  };
  const closed = [channel, errors].map((stream) => new Promise((resolve) => stream.once('close', resolve)));
  const exited = (async (): Promise<DenoExit> => {
    await Promise.all(closed);
    // The process could have closed its streams itself.
    kill();
    const status = await wait().catch(() => undefined);
    gone = true;
    return { ...exitOf(status), stderrTail };
  })();
  return { input: channel, output: channel, pid: () => (gone ? undefined : pid), isReady() {}, exited, kill };
}

/** Reads a status of `wait4`. It is undefined when the template ended, and its forks with it. */
const exitOf = (status: number | undefined): Pick<DenoExit, 'code' | 'signal'> => {
  const signal = signalName(status === undefined ? 9 : status & 0x7f);
  return { code: signal || status === undefined ? null : (status >> 8) & 0xff, signal };
};

/** Returns the process id, as this process sees it, of a fork that has another one in its namespace. */
function findFork(templatePid: number | undefined, insidePid: number): number | undefined {
  if (templatePid === undefined) return undefined;
  return childrenOf(templatePid).findLast((pid) => {
    try {
      const ids = /^NSpid:(.*)$/m.exec(readKernelFile(`/proc/${pid}/status`))?.[1];
      return Number(ids?.trim().split(/\s+/).at(-1)) === insidePid;
    } catch {
      return false;
    }
  });
}

type Reply = [first: number, second: number];

/** Reads the replies of the template in their order. */
function readReplies({ output, exited }: DenoProcess): { next: () => Promise<Reply> } {
  const waiting: PromiseWithResolvers<Reply>[] = [];
  let held = Buffer.alloc(0);
  let ended: Error | undefined;
  output.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    for (; held.length >= REPLY_BYTES; held = held.subarray(REPLY_BYTES))
      waiting.shift()?.resolve([held.readInt32LE(0), held.readInt32LE(4)]);
  });
  void exited.then(({ stderrTail }) => {
    ended = new Error(`the template ended: ${stderrTail}`);
    for (const { reject } of waiting.splice(0)) reject(ended);
  });
  return {
    next() {
      if (ended) return Promise.reject(ended);
      const reply = Promise.withResolvers<Reply>();
      waiting.push(reply);
      return reply.promise;
    },
  };
}

type Connections = {
  /** Resolves to the next connection that is made. */
  next: () => Promise<Socket>;
  /** Forgets the callers that wait. */
  reset: () => void;
  close: () => void;
};

/** Listens for processes that can reach the directory. */
async function listen(directory: string): Promise<Connections> {
  const waiting: PromiseWithResolvers<Socket>[] = [];
  const server = createServer((socket) => {
    const next = waiting.shift();
    if (next) next.resolve(socket);
    else socket.destroy();
  });
  await using opened = await open(directory);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // The path of a socket has at most 107 bytes; the path of the directory can be longer.
    server.listen(`/proc/self/fd/${opened.fd}/${SOCKET_NAME}`, resolve);
  });
  await chmod(join(directory, SOCKET_NAME), 0o666);
  const reset = (): void => {
    for (const { reject } of waiting.splice(0)) reject(new Error('no process connected'));
  };
  return {
    next() {
      const connection = Promise.withResolvers<Socket>();
      waiting.push(connection);
      return connection.promise;
    },
    reset,
    close() {
      reset();
      server.close();
    },
  };
}
