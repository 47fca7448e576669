/**
 * The walls that the machine can put around an action process, outside of Deno's permissions. bubblewrap makes most of
 * them; where it is absent, `unshare` of util-linux makes the namespaces.
 */
import { spawn } from 'node:child_process';
import { constants, existsSync, statSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { curvePathOf } from './bundle.ts';

/**
 * - `namespaces`: no network, and processes, users and IPC of its own
 * - `files`: no file but Deno, its libraries and its program; none can be written
 * - `syscalls`: system calls that JavaScript does not need, and those that reach other processes, are refused (`template.ts`)
 * - `user`: another user than the runner's
 * - `cgroup`: the kernel limits memory, threads and processor share (`cgroup.ts`)
 */
export const wallNames = ['namespaces', 'files', 'syscalls', 'user', 'cgroup'] as const;
export type WallName = (typeof wallNames)[number];
/** Walls that tools make around a process. */
type OwnWall = Exclude<WallName, 'syscalls' | 'cgroup'>;

/** Advice for a machine where a wall does not stand. */
export const wallAdvice: Record<WallName, string> = {
  namespaces: 'install bubblewrap, and permit user namespaces to the user of the runner',
  files: 'install bubblewrap, and permit user namespaces to the user of the runner',
  syscalls: 'run on Linux on x64 or arm64',
  user: 'start the runner as root, with setpriv of util-linux',
  cgroup: 'start the runner in a delegated control group',
};

export type Walls = {
  standing: OwnWall[];
  /** The path of Deno for processes behind the walls. */
  deno: string;
  /** The user of processes behind `user`. */
  actionUser: number | undefined;
  /** Returns the command that runs a command behind the walls. */
  wrap: (command: string[]) => string[];
};

export type WallsOptions = {
  /** Belongs to this runtime. */
  directory: string;
  deno: string;
  scriptPath: string;
  /** Empty. */
  cwd: string;
  /** A directory whose sockets processes behind `files` can connect to. */
  socketsDir: string;
  /** Deno's cache of processes that are not forked. */
  cacheDir: string;
  /** Default: all. */
  wanted?: readonly WallName[];
  /** Default: those in `PATH`. */
  findTool?: (name: string) => string | undefined;
};

/** Finds the walls that stand on this machine: the first combination behind which Deno runs the script to its end. */
export async function findWalls(options: WallsOptions): Promise<Walls> {
  for (const walls of await combinations(options)) {
    for (const directory of [options.socketsDir, options.cacheDir]) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      if (isRoot()) await chown(directory, walls.actionUser ?? 0, walls.actionUser ?? 0);
    }
    if (await runs(walls, options)) return walls;
  }
  return noWalls(options);
}

/** No wall but those of Deno. */
export const noWalls = ({ deno }: Pick<WallsOptions, 'deno'>): Walls => ({
  standing: [],
  deno,
  actionUser: undefined,
  wrap: (command) => command,
});

/** Walls that one tool makes. */
type Layer = {
  standing: OwnWall[];
  /** The tool, and its arguments in front of the command. */
  prefix: string[];
};

/** Returns the combinations of walls, the best one first. */
async function combinations(options: WallsOptions): Promise<Walls[]> {
  const { wanted = wallNames, findTool = findInPath } = options;
  const wants = (wall: OwnWall) => wanted.includes(wall);
  const setpriv = findTool('setpriv');
  const guard = setpriv === undefined ? nothing : guardLayer(setpriv);
  const user = isRoot() && wants('user') && setpriv !== undefined ? userLayer(setpriv) : undefined;
  const deno = user ? await reachableDeno(options) : options.deno;
  const bubblewrap = bubblewrapLayer(findTool('bwrap'), { ...options, deno }, wants);
  const unshare = wants('namespaces') ? unshareLayer(findTool('unshare')) : undefined;
  // bubblewrap makes a namespace as any user. `unshare` makes it as root, before the user changes.
  return [[user, bubblewrap], [guard, bubblewrap], [guard, unshare, user], [guard, unshare], [user], [guard]]
    .filter((layers): layers is Layer[] => !layers.includes(undefined))
    .map((layers) => ({
      standing: layers.flatMap(({ standing }) => standing),
      deno,
      actionUser: user && layers.includes(user) ? ACTION_USER : undefined,
      wrap: (command) => [...layers.flatMap(({ prefix }) => prefix), ...command],
    }));
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** Belongs to actions alone: other services can run as user 65534. */
const ACTION_USER = 65_530;

const nothing: Layer = { standing: [], prefix: [] };

/** No new privileges, and the end of the process with its parent. */
const GUARD = ['--no-new-privs', '--pdeathsig', 'KILL'];
const guardLayer = (setpriv: string): Layer => ({ ...nothing, prefix: [setpriv, ...GUARD, '--'] });

/** A change of the user ends what an earlier guard holds: it has its own. */
function userLayer(setpriv: string): Layer {
  const ids = [`--reuid=${ACTION_USER}`, `--regid=${ACTION_USER}`, '--clear-groups'];
  const rights = ['--bounding-set=-all', '--inh-caps=-all'];
  return { standing: ['user'], prefix: [setpriv, ...GUARD, ...ids, ...rights, '--'] };
}

function unshareLayer(unshare: string | undefined): Layer | undefined {
  if (unshare === undefined) return undefined;
  const asUser = isRoot() ? [] : ['--user', '--map-current-user'];
  const namespaces = ['--net', '--ipc', '--uts', '--pid', '--fork', '--kill-child'];
  return { standing: ['namespaces'], prefix: [unshare, ...asUser, ...namespaces, '--'] };
}

const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];

function bubblewrapLayer(
  bwrap: string | undefined,
  { deno, scriptPath, cwd, socketsDir }: WallsOptions,
  wants: (wall: OwnWall) => boolean,
): Layer | undefined {
  const standing = (['namespaces', 'files'] as const).filter(wants);
  if (bwrap === undefined || standing.length === 0) return undefined;
  const prefix = [bwrap, '--die-with-parent'];
  if (wants('namespaces')) prefix.push('--unshare-user', '--unshare-all', '--as-pid-1');
  if (wants('files')) {
    for (const path of LIBRARIES) prefix.push('--ro-bind-try', path, path);
    for (const path of [deno, scriptPath, socketsDir]) prefix.push('--ro-bind', path, path);
    const curvePath = curvePathOf(scriptPath);
    prefix.push('--ro-bind-try', curvePath, curvePath);
    // Deno asks for the path of its program. There is no other process to see.
    prefix.push('--symlink', deno, '/proc/self/exe', '--dir', cwd, '--remount-ro', '/');
  } else prefix.push('--dev-bind', '/', '/');
  return { standing, prefix: [...prefix, '--chdir', cwd, '--'] };
}

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

const PROBE_TIMEOUT_MS = 10_000;

/** Resolves to whether Deno runs the script behind the walls. Without input the script ends. */
function runs({ wrap, deno }: Walls, { scriptPath, cwd, cacheDir }: WallsOptions): Promise<boolean> {
  const [command = '', ...args] = wrap([deno, 'run', '--quiet', '--no-prompt', scriptPath]);
  const child = spawn(command, args, {
    cwd,
    env: { DENO_DIR: cacheDir, DENO_NO_UPDATE_CHECK: '1' },
    stdio: 'ignore',
    timeout: PROBE_TIMEOUT_MS,
  });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

function findInPath(name: string): string | undefined {
  const paths = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name));
  return paths.find((path) => existsSync(path));
}
