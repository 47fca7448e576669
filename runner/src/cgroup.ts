/**
 * Control groups of action processes: the kernel limits their memory, threads and CPU share, however busy the host is.
 * Version 2 in a delegated group, version 1 where it is mounted, otherwise none.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { isAlive } from './processes.ts';

/** Maximum number of threads per action process, including Deno's own. Further threads wait until one ends. */
const MAX_THREADS = 48;
/** Of a process that yields. A new one has 1. */
const YIELDING_SHARE = 1 / 16;
const PREFIX = 'latchkey-actions-';

/** Files of one controller and their values. */
type Controller = {
  name: 'memory' | 'cpu' | 'pids';
  /** Directory of this process' own group. */
  directory: string;
  version: 1 | 2;
};

/** The group of one process. */
export type Cgroup = {
  /** Files to which a process writes its id to join. */
  procsFiles: string[];
  /** Lets the process use this many bytes beyond its current use. No effect without a memory controller. */
  limitMemory: (bytes: number) => void;
  /** Gives the process a small share of the processor while others need it. No effect without a CPU controller. */
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

/** Creates a group for the action processes of this process. Removes empty groups of earlier processes. */
export function openCgroups(mounts = readMounts(), ownGroups = readFile('/proc/self/cgroup')): Cgroups {
  const controllers = findControllers(mounts, ownGroups).filter(prepare);
  const parents = controllers.map((controller) => ({
    ...controller,
    directory: parentDirectory(controller),
  }));
  let last = 0;
  /** Groups without a process. Making one takes the kernel milliseconds. */
  const free: Group[] = [];
  const make = (): Group => {
    last += 1;
    const groups = parents.flatMap((parent) => createGroup(parent, `run-${last}`));
    return {
      directories: [...new Set(groups.map(({ directory }) => directory))],
      memory: groups.find(({ name }) => name === 'memory'),
      cpu: groups.find(({ name }) => name === 'cpu'),
    };
  };
  return {
    controllers: controllers.map(({ name, version }) => `${name} (cgroup v${version})`),
    create() {
      const group = free.pop() ?? make();
      const { memory, cpu } = group;
      const procsFiles = group.directories.map((directory) => join(directory, 'cgroup.procs'));
      if (memory) unlimitMemory(memory);
      if (cpu) setCpuShare(cpu, 1);
      const killsBefore = memory ? oomKills(memory) : 0;
      return {
        procsFiles,
        limitMemory: (bytes) => memory && limitMemory(memory, bytes),
        yieldToOthers: () => cpu && setCpuShare(cpu, YIELDING_SHARE),
        ranOutOfMemory: () => memory !== undefined && oomKills(memory) > killsBefore,
        remove() {
          if (procsFiles.every((file) => readFile(file) === '')) free.push(group);
          else group.directories.forEach(removeDirectory);
        },
      };
    },
    close() {
      for (const { directories } of free) directories.forEach(removeDirectory);
      new Set(parents.map(({ directory }) => directory)).forEach(removeDirectory);
    },
  };
}

type Group = { directories: string[]; memory: Controller | undefined; cpu: Controller | undefined };

const parentDirectory = ({ directory }: Controller): string => join(directory, `${PREFIX}${process.pid}`);

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

/** Creates the parent group of the runs' groups. Returns false where the machine does not allow it. */
function prepare(controller: Controller): boolean {
  removeLeftovers(controller.directory);
  const parent = parentDirectory(controller);
  if (!makeDirectory(parent)) return false;
  if (controller.version === 2 && !passesOn(parent, controller.name)) return false;
  // In version 1 a group competes with single threads, of which a machine can run as many as it has cores. Inside the
  // group, each run has the same share, however many threads it has.
  if (controller.name === 'cpu' && controller.version === 1)
    return setCpuShare({ ...controller, directory: parent }, availableParallelism());
  return true;
}

function createGroup(parent: Controller, name: string): Controller[] {
  const directory = join(parent.directory, name);
  if (!makeDirectory(directory)) return [];
  if (parent.name === 'pids') write(join(directory, 'pids.max'), String(MAX_THREADS));
  if (parent.name === 'memory' && parent.version === 2) write(join(directory, 'memory.swap.max'), '0');
  return [{ ...parent, directory }];
}

/** Sets the share in multiples of that of a thread, which is also that of a new group. */
function setCpuShare({ directory, version }: Controller, share: number): boolean {
  const [file, ofOne] = version === 1 ? ['cpu.shares', 1_024] : ['cpu.weight', 100];
  return write(join(directory, file as string), String(Math.round(share * Number(ofOne))));
}

function limitMemory({ directory, version }: Controller, bytes: number): void {
  const [usage, limit] =
    version === 1 ? ['memory.usage_in_bytes', 'memory.limit_in_bytes'] : ['memory.current', 'memory.max'];
  const used = Number(readFile(join(directory, usage as string)));
  write(join(directory, limit as string), String(used + bytes));
}

function unlimitMemory({ directory, version }: Controller): void {
  const [file, unlimited] = version === 1 ? ['memory.limit_in_bytes', '-1'] : ['memory.max', 'max'];
  write(join(directory, file as string), unlimited as string);
}

function oomKills({ directory, version }: Controller): number {
  const file = version === 1 ? 'memory.oom_control' : 'memory.events';
  return Number(/^oom_kill (\d+)$/m.exec(readFile(join(directory, file)))?.[1] ?? 0);
}

/** Removes the groups of processes that ended without removing them. */
function removeLeftovers(directory: string): void {
  for (const name of list(directory)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : undefined;
    if (pid === undefined || isAlive(pid)) continue;
    for (const child of list(join(directory, name))) removeDirectory(join(directory, name, child));
    removeDirectory(join(directory, name));
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
    return readFileSync(path, 'latin1');
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
