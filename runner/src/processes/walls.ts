/**
 * The walls that the machine can put around an action process, outside of Deno's permissions. bubblewrap makes most of
 * them; where it is absent, a shell and `unshare` and `setpriv` of util-linux do.
 */
import { spawn } from 'node:child_process';
import { constants, existsSync, statSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { NO_DIRECTORY } from '@latchkey/fork-server';
import { curvePathOf } from './bundle.ts';

/**
 * - `namespaces`: no network, and processes and IPC of its own. Sockets and shared memory can be files, and `/proc` shows other
 *   processes, so that it stands with `files` only
 * - `files`: no file but Deno, its libraries and its program; none can be written, and there is no `/proc`
 * - `syscalls`: system calls that JavaScript does not need, and those that reach other processes, are refused (`packages/fork-server`)
 * - `user`: another user than the runner's
 * - `cgroup`: the kernel limits memory, threads and processor share (`cgroup.ts`)
 */
export const wallNames = ['namespaces', 'files', 'syscalls', 'user', 'cgroup'] as const;
export type WallName = (typeof wallNames)[number];
/** Walls that tools make around a process. */
type OwnWall = Exclude<WallName, 'syscalls' | 'cgroup'>;

const BUBBLEWRAP =
  'install bubblewrap (Debian, Ubuntu: apt install bubblewrap), and permit user namespaces to the user of the runner';
/** Advice for a machine where a wall does not stand. */
export const wallAdvice: Record<WallName, string> = {
  namespaces: BUBBLEWRAP,
  files: BUBBLEWRAP,
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
  /** Default: all. */
  wanted?: readonly WallName[];
  /** Default: those in `PATH`. */
  findTool?: (name: string) => string | undefined;
};

/** Finds the walls that stand on this machine: the first combination behind which Deno runs the script to its end. */
export async function findWalls(options: WallsOptions): Promise<Walls> {
  // The processes can enter it, and not replace the socket in it.
  await mkdir(options.socketsDir, { recursive: true });
  await chmod(options.socketsDir, 0o710);
  for (const walls of await combinations(options)) {
    if (isRoot()) await chown(options.socketsDir, 0, walls.actionUser ?? 0);
    if (await runs(walls, options)) return walls;
  }
  return noWalls(options);
}

/** Only Deno's own walls. */
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
  const setpriv = findTool('setpriv');
  const guard = setpriv === undefined ? nothing : guardLayer(setpriv);
  const user = isRoot() && wanted.includes('user') && setpriv !== undefined ? userLayer(setpriv) : undefined;
  const deno = user ? await reachableDeno(options) : options.deno;
  const wantsFiles = wanted.includes('files') || wanted.includes('namespaces');
  const bubblewrap = wantsFiles ? bubblewrapLayer(findTool('bwrap'), { ...options, deno }) : undefined;
  const unshare = wantsFiles ? unshareLayer(findTool('unshare'), setpriv, { ...options, deno }) : undefined;
  const inside = user ?? (setpriv === undefined ? undefined : powerlessLayer(setpriv));
  // bubblewrap makes a namespace as any user. `unshare` makes it as root, or as root of a namespace, which must end inside.
  return [[user, bubblewrap], [guard, bubblewrap], [guard, unshare, inside], [user], [guard]]
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

/** The process gains no privileges and ends with its parent. */
const GUARD = ['--no-new-privs', '--pdeathsig', 'KILL'];
const guardLayer = (setpriv: string): Layer => ({ ...nothing, prefix: [setpriv, ...GUARD, '--'] });

const POWERLESS = [...GUARD, '--bounding-set=-all', '--inh-caps=-all'];
/** The user stays and has no rights of root. */
const powerlessLayer = (setpriv: string): Layer => ({ ...nothing, prefix: [setpriv, ...POWERLESS, '--'] });

/** Repeats the guard: a change of the user clears the death signal that was set before. */
function userLayer(setpriv: string): Layer {
  const ids = [`--reuid=${ACTION_USER}`, `--regid=${ACTION_USER}`, '--clear-groups'];
  return { standing: ['user'], prefix: [setpriv, ...POWERLESS, ...ids, '--'] };
}

const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];
/** Paths that exist behind `files`, in addition to the libraries. */
const shownPaths = ({ deno, scriptPath, socketsDir }: WallsOptions): string[] => [
  ...[deno, scriptPath, socketsDir, curvePathOf(scriptPath)],
];

function bubblewrapLayer(bwrap: string | undefined, options: WallsOptions): Layer | undefined {
  if (bwrap === undefined) return undefined;
  const { deno, cwd } = options;
  const prefix = [bwrap, '--die-with-parent', '--unshare-user', '--unshare-all', '--as-pid-1'];
  for (const path of [...LIBRARIES, ...shownPaths(options)]) prefix.push('--ro-bind-try', path, path);
  // Deno asks for the path of its program. There is no other process to see.
  prefix.push('--symlink', deno, '/proc/self/exe', '--dir', cwd, '--remount-ro', '/', '--chdir', cwd, '--');
  return { standing: ['namespaces', 'files'], prefix };
}

/**
 * Makes the same files as bubblewrap, in a mount namespace: `$0` is `unshare`, the arguments are the directory on which the new
 * root is mounted and in which the command starts, the path of Deno, the paths that exist in the new root, `--`, and the command.
 * Only root of the namespace can leave a changed root, and the command is not root.
 */
const ENTER_ROOT = `set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
umask 022
root=$1 deno=$2
shift 2
mount -t tmpfs -o mode=755 none "$root"
until [ "$1" = -- ]; do
  if [ -d "$1" ]; then mkdir -p "$root$1"
  elif [ -e "$1" ] && [ ! -e "$root$1" ]; then mkdir -p "$root\${1%/*}"; : > "$root$1"; fi
  if [ -e "$1" ]; then mount --bind "$1" "$root$1"; mount -o remount,bind,ro,nosuid,nodev "$root$1"; fi
  shift
done
mkdir -p "$root/proc/self" "$root$root"
ln -s "$deno" "$root/proc/self/exe"
mount -o remount,bind,ro,nosuid,nodev "$root"
exec "$0" --root="$root" --wd="$root" "$@"`;

function unshareLayer(
  unshare: string | undefined,
  setpriv: string | undefined,
  options: WallsOptions,
): Layer | undefined {
  if (unshare === undefined || setpriv === undefined) return undefined;
  const asRoot = isRoot() ? [] : ['--user', '--map-root-user'];
  const namespaces = ['--mount', '--net', '--ipc', '--uts', '--pid', '--cgroup', '--fork', '--kill-child'];
  const shown = [...LIBRARIES, setpriv, ...shownPaths(options)];
  const enter = ['/bin/sh', '-c', ENTER_ROOT, unshare, options.cwd, options.deno, ...shown, '--'];
  return { standing: ['namespaces', 'files'], prefix: [unshare, ...asRoot, ...namespaces, '--', ...enter] };
}

/** Returns a path of Deno that every user can execute: its own, or the path of a copy. */
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
function runs({ wrap, deno }: Walls, { scriptPath, cwd }: WallsOptions): Promise<boolean> {
  const [command = '', ...args] = wrap([deno, 'run', '--quiet', '--no-prompt', scriptPath]);
  const child = spawn(command, args, {
    cwd,
    env: { DENO_DIR: NO_DIRECTORY, DENO_NO_UPDATE_CHECK: '1' },
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
