/**
 * Control groups of action processes: the kernel limits their memory, threads and CPU share, however busy the host is.
 * Version 2 in a delegated group, version 1 where it is mounted, otherwise none.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  write as writeAsync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readAgain, readKernelFile } from '@latchkey/fork-server/kernel-file';
import { isAlive } from '@latchkey/service/is-alive';

/** Maximum number of threads per action process, including Deno's own. Further threads wait until one ends. */
const MAX_THREADS = 48;
/** Shares of the processor, in multiples of that of a thread or of a new group. */
const SHARES = {
  RUNNING: 1 / 2,
  /** Where the kernel has no idle groups (before Linux 5.15). */
  YIELDING: 1 / 16,
};
const PREFIX = 'latchkey-actions-';
const PROCS = 'cgroup.procs';

/** Files of one controller and their values. */
type Controller = {
  name: 'memory' | 'cpu' | 'pids';
  /** Directory of this process' own group. */
  directory: string;
  version: 1 | 2;
};

/** The group of one process, which yields to others until it claims its share. */
export type Cgroup = {
  /** Files to which the id of a process is written to make it join. */
  procsFiles: string[];
  /** Makes a process join. It stays where it is when it has ended, or when the kernel refuses. */
  join: (pid: number) => Promise<void>;
  /** Lets the process use this many bytes beyond its current use. No effect without a memory controller. */
  limitMemory: (bytes: number) => void;
  /** Gives the process its share of the processor, or a part of it. No effect without a CPU controller. */
  claimShare: (part?: number) => void;
  /** Leaves the process only the processor time that no other process needs. No effect without a CPU controller. */
  yieldToOthers: () => void;
  /** True when the kernel killed the process because it reached its memory limit. */
  ranOutOfMemory: () => boolean;
  /** Gives the group back for another process. Call when the process is gone. */
  remove: () => void;
};

export type Cgroups = {
  /** The controllers of the processes, for the log. */
  controllers: string[];
  create: () => Cgroup;
  close: () => void;
};

/** Returns how the groups of action processes are created. Removes empty groups of earlier processes. */
export function openCgroups(mounts = readMounts(), ownGroups = readFile('/proc/self/cgroup')): Cgroups {
  const found = findControllers(mounts, ownGroups);
  for (const { directory } of found) removeLeftovers(directory);
  let last = 0;
  const nextName = (): string => `${PREFIX}${process.pid}-${++last}`;
  const first = nextName();
  // The others do not let this process create groups.
  const controllers = found.filter((controller) => makeDirectory(join(controller.directory, first)));
  /** Groups without a process. Making one takes the kernel milliseconds. */
  const free: Group[] = [];
  const make = (name: string): Group => {
    const opened = new Map<string, GroupFiles>();
    const groups = controllers.flatMap((controller): OwnController[] => {
      const directory = createGroup(controller, name);
      if (directory === undefined) return [];
      const files = opened.get(directory) ?? openGroupFiles(directory);
      opened.set(directory, files);
      return [{ ...controller, files }];
    });
    return {
      files: [...opened.values()],
      memory: groups.find(({ name }) => name === 'memory'),
      cpu: groups.find(({ name }) => name === 'cpu'),
    };
  };
  free.push(make(first));
  return {
    controllers: controllers.map(({ name, version }) => `${name} (cgroup v${version})`),
    create() {
      const group = free.pop() ?? make(nextName());
      const { memory, cpu, files } = group;
      const procsFiles = files.map(({ directory }) => join(directory, PROCS));
      if (memory) unlimitMemory(memory);
      if (cpu) yieldToOthers(cpu);
      const killsBefore = memory ? oomKills(memory) : 0;
      let joining = Promise.resolve();
      return {
        procsFiles,
        join(pid) {
          const written = files.map(({ writeInThread }) => writeInThread(PROCS, String(pid)));
          joining = Promise.all(written).then(() => {});
          return joining;
        },
        limitMemory: (bytes) => memory && limitMemory(memory, bytes),
        claimShare: (part = 1) => cpu && claimShare(cpu, part),
        yieldToOthers: () => cpu && yieldToOthers(cpu),
        ranOutOfMemory: () => memory !== undefined && oomKills(memory) > killsBefore,
        remove() {
          if (procsFiles.every((file) => readFile(file) === '')) free.push(group);
          else void joining.then(() => files.forEach(removeGroup));
        },
      };
    },
    close() {
      for (const { files } of free) files.forEach(removeGroup);
    },
  };
}

/** A controller of the group of one process. */
type OwnController = Pick<Controller, 'name' | 'version'> & { files: GroupFiles };
type Group = { files: GroupFiles[]; memory: OwnController | undefined; cpu: OwnController | undefined };

/** Files of a group. They stay open: the kernel takes longer to open one than to write it. */
type GroupFiles = {
  directory: string;
  read: (name: string) => string;
  /** Returns false when the kernel refuses. */
  write: (name: string, text: string) => boolean;
  /** Does not block this thread. */
  writeInThread: (name: string, text: string) => Promise<void>;
  close: () => void;
};

function openGroupFiles(directory: string): GroupFiles {
  const descriptors = new Map<string, number>();
  const open = (name: string, flags: 'r' | 'w'): number => {
    const descriptor = descriptors.get(name) ?? openSync(join(directory, name), flags);
    descriptors.set(name, descriptor);
    return descriptor;
  };
  const orElse = <T>(refused: T, work: () => T): T => {
    try {
      return work();
    } catch {
      return refused;
    }
  };
  return {
    directory,
    read: (name) => orElse('', () => readAgain(open(name, 'r'))),
    write: (name, text) => orElse(false, () => writeSync(open(name, 'w'), text) > 0),
    async writeInThread(name, text) {
      try {
        await writeText(open(name, 'w'), text);
      } catch {
        // The kernel refuses.
      }
    },
    close() {
      for (const descriptor of descriptors.values()) closeSync(descriptor);
      descriptors.clear();
    },
  };
}

const writeText = promisify(writeAsync);

type Mount = { directory: string; version: 1 | 2; names: string[] };

function readMounts(): Mount[] {
  return readFile('/proc/self/mounts')
    .split('\n')
    .flatMap((line): Mount[] => {
      const [, directory = '', type, options = ''] = line.split(' ');
      if (type === 'cgroup2') return [{ directory, version: 2, names: [] }];
      return type === 'cgroup' ? [{ directory, version: 1, names: options.split(',') }] : [];
    });
}

/**
 * Returns the directories of the own group by controller. A cgroup namespace of its own shows the own group as the
 * root.
 */
function findControllers(mounts: Mount[], ownGroups: string): Controller[] {
  const lines = ownGroups.split('\n').map((line) => line.split(':'));
  return (['memory', 'cpu', 'pids'] as const).flatMap((name): Controller[] => {
    const v1 = mounts.find(({ version, names }) => version === 1 && names.includes(name));
    const mount = v1 ?? mounts.find(({ version }) => version === 2);
    if (!mount) return [];
    const [, , path = '/'] =
      lines.find(([id, names = '']) => (v1 ? names.split(',').includes(name) : id === '0')) ?? [];
    const own = [join(mount.directory, path), mount.directory].find(existsSync);
    if (own === undefined) return [];
    if (v1) return [{ name, directory: own, version: 1 }];
    // In version 2, a group that has processes passes no controller on: the parent can be the delegated one.
    const directory = [own, dirname(own)].find((candidate) => passesOn(candidate, name));
    return directory === undefined ? [] : [{ name, directory, version: 2 }];
  });
}

function passesOn(directory: string, name: string): boolean {
  const file = join(directory, 'cgroup.subtree_control');
  if (!readFile(join(directory, 'cgroup.controllers')).split(/\s+/).includes(name)) return false;
  if (readFile(file).split(/\s+/).includes(name)) return true;
  return write(file, `+${name}`);
}

function createGroup(parent: Controller, name: string): string | undefined {
  const directory = join(parent.directory, name);
  if (!makeDirectory(directory)) return undefined;
  if (parent.name === 'pids') write(join(directory, 'pids.max'), String(MAX_THREADS));
  if (parent.name === 'memory' && parent.version === 2) write(join(directory, 'memory.swap.max'), '0');
  return directory;
}

function claimShare(cpu: OwnController, part: number): void {
  cpu.files.write('cpu.idle', '0');
  setCpuShare(cpu, SHARES.RUNNING * part);
}

/** An idle group yields immediately to a process that wakes up, and gets less than a hundredth of the time of a busy processor. */
function yieldToOthers(cpu: OwnController): void {
  if (!cpu.files.write('cpu.idle', '1')) setCpuShare(cpu, SHARES.YIELDING);
}

/** Sets the share in multiples of that of a thread, which is also that of a new group. */
function setCpuShare({ files, version }: OwnController, share: number): void {
  const [name, ofOne] = version === 1 ? (['cpu.shares', 1_024] as const) : (['cpu.weight', 100] as const);
  files.write(name, String(Math.round(share * ofOne)));
}

function limitMemory({ files, version }: OwnController, bytes: number): void {
  const [usage, limit] =
    version === 1
      ? (['memory.usage_in_bytes', 'memory.limit_in_bytes'] as const)
      : (['memory.current', 'memory.max'] as const);
  files.write(limit, String(Number(files.read(usage)) + bytes));
}

function unlimitMemory({ files, version }: OwnController): void {
  const [name, unlimited] =
    version === 1 ? (['memory.limit_in_bytes', '-1'] as const) : (['memory.max', 'max'] as const);
  files.write(name, unlimited);
}

function oomKills({ files, version }: OwnController): number {
  const name = version === 1 ? 'memory.oom_control' : 'memory.events';
  return Number(/^oom_kill (\d+)$/m.exec(files.read(name))?.[1] ?? 0);
}

const removeGroup = ({ directory, close }: GroupFiles): void => {
  close();
  removeDirectory(directory);
};

/** Removes the groups of processes that ended without removing them. */
function removeLeftovers(directory: string): void {
  for (const name of list(directory)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : undefined;
    if (pid !== undefined && !isAlive(pid)) removeDirectory(join(directory, name));
  }
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function readFile(path: string): string {
  try {
    return readKernelFile(path);
  } catch {
    return '';
  }
}

function write(path: string, text: string): boolean {
  try {
    writeFileSync(path, text);
    return true;
  } catch {
    return false;
  }
}

function makeDirectory(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true });
    return true;
  } catch {
    return false;
  }
}

/** A group that still has a process stays until the next start. */
function removeDirectory(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Already removed, or not empty.
  }
}
