/**
 * The walls that the machine can put around an action process, outside of Deno's permissions. bubblewrap makes most of
 * them; where it is absent, `unshare` of util-linux makes the namespaces.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { chmod, chown, copyFile, lchown, readdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { curvePathOf } from './bundle.ts';
import { emptyNetwork } from './empty-network.ts';
import { buildSyscallFilter } from './syscall-filter.ts';

/**
 * - `namespaces`: no network, and processes, users and IPC of its own
 * - `files`: no file but Deno, its libraries and its program; none that outlives the process can be written
 * - `syscalls`: system calls that JavaScript does not need are refused
 * - `user`: another user than the runner's
 * - `cgroup`: the kernel limits memory, threads and processor share (`cgroup.ts`)
 */
export const wallNames = ['namespaces', 'files', 'syscalls', 'user', 'cgroup'] as const;
export type WallName = (typeof wallNames)[number];
type OwnWall = Exclude<WallName, 'cgroup'>;

/** Advice for a machine where a wall does not stand. */
export const wallAdvice: Record<WallName, string> = {
  namespaces: 'install bubblewrap, and permit user namespaces to the user of the runner',
  files: 'install bubblewrap, and permit user namespaces to the user of the runner',
  syscalls: 'install bubblewrap, and permit user namespaces to the user of the runner',
  user: 'start the runner as root, with setpriv of util-linux',
  cgroup: 'start the runner in a delegated control group',
};

export type Walls = {
  standing: OwnWall[];
  /** The path of Deno for processes behind the walls. */
  deno: string;
  /** Returns the command that runs a command behind the walls. It takes the files of `openFiles`, from descriptor 3 on. */
  wrap: (command: string[]) => string[];
  /** Opens files for one process. The caller closes them when the process has started. */
  openFiles: () => number[];
};

export type WallsOptions = {
  /** Belongs to this runtime. */
  directory: string;
  deno: string;
  scriptPath: string;
  /** Empty. */
  cwd: string;
  /** Deno's cache, already filled. Processes behind `files` get a copy in their memory. */
  cacheDir: string;
  /** Default: all. */
  wanted?: readonly WallName[];
  /** Default: those in `PATH`. */
  findTool?: (name: string) => string | undefined;
};

/** Finds the walls that stand on this machine: the first combination behind which Deno runs the script to its end. */
export async function findWalls(options: WallsOptions): Promise<Walls> {
  for (const walls of await combinations(options)) {
    if (!(await runs(walls, options))) continue;
    // Behind `files` each process has a copy.
    if (walls.standing.includes('user') && !walls.standing.includes('files'))
      await giveToActionUser(options.cacheDir);
    return walls;
  }
  return noWalls(options);
}

/** No wall but those of Deno. */
export const noWalls = ({ deno }: Pick<WallsOptions, 'deno'>): Walls => ({
  standing: [],
  deno,
  wrap: (command) => command,
  openFiles: () => [],
});

/** Walls that one tool makes. */
type Layer = {
  standing: OwnWall[];
  /** The tool, and its arguments in front of the command. */
  prefix: string[];
  /** Files for the tool, from descriptor 3 on. */
  files: string[];
};

/** Returns the combinations of walls, the best one first. */
async function combinations(options: WallsOptions): Promise<Walls[]> {
  const { wanted = wallNames, findTool = findInPath } = options;
  const wants = (wall: OwnWall) => wanted.includes(wall);
  const isRoot = process.getuid?.() === 0;
  const setpriv = findTool('setpriv');
  const guard = setpriv === undefined ? nothing : guardLayer(setpriv);
  const user = isRoot && wants('user') && setpriv !== undefined ? userLayer(setpriv) : undefined;
  const deno = user ? await reachableDeno(options) : options.deno;
  const network =
    isRoot && wants('namespaces') && wants('syscalls') ? await networkLayer(findTool) : undefined;
  const bubblewrap = await bubblewrapLayer(findTool('bwrap'), { ...options, deno }, wants);
  const unshare = wants('namespaces') ? unshareLayer(findTool('unshare'), isRoot) : undefined;
  // bubblewrap makes a namespace as any user. `unshare` makes it as root, before the user changes.
  return [
    [network, user, bubblewrap && inNetworkOf(bubblewrap)],
    [user, bubblewrap],
    [guard, bubblewrap],
    [guard, unshare, user],
    [guard, unshare],
    [user],
    [guard],
  ]
    .filter((layers) => layers.every((layer) => layer !== undefined))
    .map((layers) => ({
      standing: layers.flatMap(({ standing }) => standing),
      deno,
      wrap: (command) => [...layers.flatMap(({ prefix }) => prefix), ...command],
      openFiles: () => layers.flatMap(({ files }) => files.map((file) => openSync(file, 'r'))),
    }));
}

/** Belongs to actions alone: other services can run as user 65534. */
const ACTION_USER = 65_530;

const nothing: Layer = { standing: [], prefix: [], files: [] };

/** No new privileges, and the end of the process with its parent. */
const GUARD = ['--no-new-privs', '--pdeathsig', 'KILL'];
const guardLayer = (setpriv: string): Layer => ({ ...nothing, prefix: [setpriv, ...GUARD, '--'] });

/** A change of the user ends what an earlier guard holds: it has its own. */
function userLayer(setpriv: string): Layer {
  const ids = [`--reuid=${ACTION_USER}`, `--regid=${ACTION_USER}`, '--clear-groups'];
  const rights = ['--bounding-set=-all', '--inh-caps=-all'];
  return { standing: ['user'], prefix: [setpriv, ...GUARD, ...ids, ...rights, '--'], files: [] };
}

/** Enters the namespace that the processes of this runner share. The filter of system calls keeps them from each other. */
async function networkLayer(findTool: (name: string) => string | undefined): Promise<Layer | undefined> {
  const [nsenter, unshare] = [findTool('nsenter'), findTool('unshare')];
  const network = nsenter && unshare && (await emptyNetwork(unshare));
  return network ? { ...nothing, prefix: [nsenter, `--net=${network}`, '--'] } : undefined;
}

/** The layer of bubblewrap without a network namespace of its own. */
const inNetworkOf = (bubblewrap: Layer): Layer => ({
  ...bubblewrap,
  prefix: bubblewrap.prefix.toSpliced(-1, 0, '--share-net'),
});

function unshareLayer(unshare: string | undefined, isRoot: boolean): Layer | undefined {
  if (unshare === undefined) return undefined;
  const asUser = isRoot ? [] : ['--user', '--map-current-user'];
  const namespaces = ['--net', '--ipc', '--uts', '--pid', '--fork', '--kill-child'];
  return { standing: ['namespaces'], prefix: [unshare, ...asUser, ...namespaces, '--'], files: [] };
}

const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];
/** Of the file system in memory. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

async function bubblewrapLayer(
  bwrap: string | undefined,
  { directory, deno, scriptPath, cwd, cacheDir }: WallsOptions,
  wants: (wall: OwnWall) => boolean,
): Promise<Layer | undefined> {
  const standing = (['namespaces', 'files', 'syscalls'] as const).filter(wants);
  if (bwrap === undefined || standing.length === 0) return undefined;
  const files: string[] = [];
  const descriptorOf = (file: string) => String(2 + files.push(file));
  const prefix = [bwrap, '--die-with-parent'];
  if (wants('namespaces')) prefix.push('--unshare-user', '--unshare-all', '--as-pid-1');
  if (wants('files')) {
    for (const path of LIBRARIES) prefix.push('--ro-bind-try', path, path);
    for (const path of [deno, scriptPath]) prefix.push('--ro-bind', path, path);
    const curvePath = curvePathOf(scriptPath);
    prefix.push('--ro-bind-try', curvePath, curvePath);
    prefix.push('--size', String(MAX_CACHE_BYTES), '--tmpfs', cacheDir);
    for (const name of await cacheFiles(cacheDir))
      prefix.push('--file', descriptorOf(join(cacheDir, name)), join(cacheDir, name));
    // Deno asks for the path of its program. There is no other process to see.
    prefix.push('--symlink', deno, '/proc/self/exe', '--dir', cwd, '--remount-ro', '/');
  } else prefix.push('--dev-bind', '/', '/');
  const filter = buildSyscallFilter();
  if (wants('syscalls')) {
    if (!filter) return undefined;
    const path = join(directory, 'syscalls.bpf');
    await writeFile(path, filter);
    prefix.push('--seccomp', descriptorOf(path));
  }
  return { standing, prefix: [...prefix, '--chdir', cwd, '--'], files };
}

/** Deno's caches are SQLite databases. */
const cacheFiles = async (cacheDir: string): Promise<string[]> =>
  (await readdir(cacheDir)).filter((name) => /_cache_v\d+$/.test(name));

/** Returns a path of Deno that every user can execute: its own, or that of a copy. */
async function reachableDeno({ deno, directory }: WallsOptions): Promise<string> {
  if (isReachable(deno)) return deno;
  const copy = join(directory, 'deno-binary');
  await copyFile(deno, copy, constants.COPYFILE_FICLONE);
  await chmod(copy, 0o755);
  return copy;
}

const EXECUTABLE_BY_OTHERS = 0o001;

function isReachable(path: string): boolean {
  if ((statSync(path).mode & EXECUTABLE_BY_OTHERS) === 0) return false;
  return path === dirname(path) || isReachable(dirname(path));
}

async function giveToActionUser(directory: string): Promise<void> {
  await chown(directory, ACTION_USER, ACTION_USER);
  for (const name of await readdir(directory)) await lchown(join(directory, name), ACTION_USER, ACTION_USER);
}

const PROBE_TIMEOUT_MS = 10_000;

/** Resolves to whether Deno runs the script behind the walls. Without input the script ends. */
function runs(
  { wrap, deno, openFiles }: Walls,
  { scriptPath, cwd, cacheDir }: WallsOptions,
): Promise<boolean> {
  const [command = '', ...args] = wrap([deno, 'run', '--quiet', '--no-prompt', scriptPath]);
  const files = openFiles();
  const child = spawn(command, args, {
    cwd,
    env: { DENO_DIR: cacheDir, DENO_NO_UPDATE_CHECK: '1' },
    stdio: ['ignore', 'ignore', 'ignore', ...files],
    timeout: PROBE_TIMEOUT_MS,
  });
  files.forEach(closeSync);
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

function findInPath(name: string): string | undefined {
  const paths = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name));
  return paths.find((path) => existsSync(path));
}
