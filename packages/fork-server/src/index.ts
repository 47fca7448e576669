/** Processes of Deno that run one program: `deno run`, or forks of a waiting process, where the kernel and this Deno allow it. */
import { type DenoProcess, lowerPriority, maxCpuSeconds, type Program, startDeno } from './deno-process.ts';
import { startForkServer } from './fork-server.ts';

export { denoBinary } from './deno-binary.ts';
export { childrenOf, type DenoExit, type DenoProcess, NO_DIRECTORY, type Program } from './deno-process.ts';

/** The control group of one process. */
type Group = {
  /** Files to which the id of a process is written to make it join. */
  procsFiles: string[];
  join: (pid: number) => Promise<void>;
};

export type Spawner = {
  /** Makes a process, which joins the group. It runs its program when it sends its first message. */
  spawn: (group?: Group) => Promise<DenoProcess>;
  close: () => Promise<void>;
  /** Why each process starts Deno instead of being a fork, which takes ten times as long; otherwise undefined. */
  forkError?: unknown;
};

/** Each process starts `deno run`. This works everywhere. */
export function spawnPlainly(program: Program): Spawner {
  const limits = [`-t ${maxCpuSeconds(program.timeoutMs)}`];
  return {
    spawn: async (group) =>
      startDeno(program, { flags: ['--deny-ffi'], limits, procsFiles: group?.procsFiles ?? [] }),
    close: async () => {},
  };
}

/** Each process is a fork (`fork-server.ts`), or starts Deno where it cannot be forked. */
export async function spawnForks(program: Program): Promise<Spawner> {
  try {
    const { fork, close } = await startForkServer(program);
    const spawn: Spawner['spawn'] = async (group) => {
      const forked = await fork();
      const pid = forked.pid();
      if (pid === undefined) return forked;
      if (program.isBackground) lowerPriority(pid);
      // The kernel makes a process that joins a group wait for ten milliseconds when no other joined one just before.
      await group?.join(pid);
      return forked;
    };
    return { spawn, close };
  } catch (forkError) {
    return { ...spawnPlainly(program), forkError };
  }
}
