/**
 * Control groups of action processes: the kernel limits their memory, threads and share of the processor, however busy the host is.
 * Version 2 in a delegated group, version 1 where it is mounted, otherwise none.
 */
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readKernelFile } from '@latchkey/fork-server/kernel-file';
import { isAlive } from '@latchkey/service/is-alive';

/** Maximum number of threads per action process, including Deno's own. Further threads wait until one ends. */
const MAX_THREADS = 48;
/** Weight of an account, in multiples of the weight of a thread or of a new group. */
const ACCOUNT_WEIGHT = 1 / 2;
const PREFIX = 'latchkey-actions-';
const PROCS = 'cgroup.procs';

/** One controller of a group. */
type Controller = {
  name: 'memory' | 'cpu' | 'pids';
  /** Directory of the group: `findControllers` returns the group of this process, others have the group of an action process. */
  directory: string;
  version: 1 | 2;
};

/** The group of one process. */
export type Cgroup = {
  /** Files to which the id of a process is written to make it join. */
  procsFiles: string[];
  /** Makes a process join. It stays where it is when it has ended, or when the kernel refuses. */
  join: (pid: number) => Promise<void>;
  /** Lets the process use this many bytes beyond its current use. No effect without a memory controller. */
  limitMemory: (bytes: number) => void;
  /** Gives the process a part of the weight of an account. No effect without a CPU controller. */
  weigh: (part: number) => void;
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

/**
 * Opens the groups of action processes: one per process, since each has a memory limit. The processes of an account share its weight in parts
 * rather than a group, because a process that joins a group waits for ten milliseconds. Removes empty groups of earlier processes.
 */
export function openCgroups(mounts = readMounts(), ownGroups = readFile('/proc/self/cgroup')): Cgroups {
  const found = findControllers(mounts, ownGroups);
  for (const { directory } of found) removeLeftovers(directory);
  let last = 0;
  const nextName = (): string => `${PREFIX}${process.pid}-${++last}`;
  const first = nextName();
  // This process may not create groups in the other controllers.
  const controllers = found.filter((controller) => makeDirectory(join(controller.directory, first)));
  const make = (name: string): Controller[] => controllers.flatMap((parent) => createGroup(parent, name));
  /** Groups without a process, kept because the kernel takes milliseconds to make one. */
  const free = [make(first)];
  return {
    controllers: controllers.map(({ name, version }) => `${name} (cgroup v${version})`),
    create() {
      const group = free.pop() ?? make(nextName());
      return openGroup(group, () => free.push(group));
    },
    close() {
      for (const group of free) removeGroup(group);
    },
  };
}

/** @param onFree - Called when the group can have another process. */
function openGroup(group: Controller[], onFree: () => void): Cgroup {
  const procsFiles = [...new Set(group.map(({ directory }) => join(directory, PROCS)))];
  const memory = group.find(({ name }) => name === 'memory');
  const cpu = group.find(({ name }) => name === 'cpu');
  if (memory) unlimitMemory(memory);
  if (cpu) weigh(cpu, 1);
  const killsBefore = memory ? oomKills(memory) : 0;
  let joining = Promise.resolve();
  return {
    procsFiles,
    join(pid) {
      joining = Promise.allSettled(procsFiles.map((file) => writeFile(file, String(pid)))).then(() => {});
      return joining;
    },
    limitMemory: (bytes) => memory && limitMemory(memory, bytes),
    weigh: (part) => cpu && weigh(cpu, part),
    ranOutOfMemory: () => memory !== undefined && oomKills(memory) > killsBefore,
    remove() {
      if (procsFiles.every((file) => readFile(file) === '')) onFree();
      else void joining.then(() => removeGroup(group));
    },
  };
}

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
 * Returns the directories of this process's group by controller. In a cgroup namespace, the group of the process is the
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

function createGroup(parent: Controller, name: string): Controller[] {
  const directory = join(parent.directory, name);
  if (!makeDirectory(directory)) return [];
  if (parent.name === 'pids') write(join(directory, 'pids.max'), String(MAX_THREADS));
  if (parent.name === 'memory' && parent.version === 2) write(join(directory, 'memory.swap.max'), '0');
  return [{ ...parent, directory }];
}

function weigh({ directory, version }: Controller, part: number): void {
  const [name, ofThread] = version === 1 ? ['cpu.shares', 1_024] : ['cpu.weight', 100];
  write(join(directory, name), String(Math.ceil(ofThread * ACCOUNT_WEIGHT * part)));
}

function limitMemory({ directory, version }: Controller, bytes: number): void {
  const [usage, limit] =
    version === 1
      ? (['memory.usage_in_bytes', 'memory.limit_in_bytes'] as const)
      : (['memory.current', 'memory.max'] as const);
  write(join(directory, limit), String(Number(readFile(join(directory, usage))) + bytes));
}

function unlimitMemory({ directory, version }: Controller): void {
  if (version === 1) write(join(directory, 'memory.limit_in_bytes'), '-1');
  else write(join(directory, 'memory.max'), 'max');
}

function oomKills({ directory, version }: Controller): number {
  const name = version === 1 ? 'memory.oom_control' : 'memory.events';
  return Number(/^oom_kill (\d+)$/m.exec(readFile(join(directory, name)))?.[1] ?? 0);
}

const removeGroup = (group: Controller[]): void => {
  for (const { directory } of group) removeDirectory(directory);
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
