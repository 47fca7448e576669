/** How root starts PostgreSQL, which refuses to run as root. */
import { execFileSync } from 'node:child_process';
import { PostgresError } from './errors.ts';

/** Of `nobody`, on every Linux. */
const NOBODY = 65_534;

export type Launcher = {
  /** Stands in front of the command; it replaces itself by the command, so the process id is PostgreSQL's. */
  prefix: string[];
  /** The user that must own the data directory; this process's own when absent. */
  owner?: number;
};

/** In a user namespace the server has another user id inside, and stays the owner of its files outside. */
const inNamespace: Launcher = { prefix: ['unshare', '--user', '--map-user=1000', '--map-group=1000'] };

/**
 * Where namespaces are not allowed, as in most containers: as `nobody`, with the one capability of root that reads and writes below a
 * home directory that only root may enter.
 */
const asNobody: Launcher = {
  prefix: [
    'setpriv',
    `--reuid=${NOBODY}`,
    `--regid=${NOBODY}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
  ],
  owner: NOBODY,
};

export const launchers = { inNamespace, asNobody };

/** The first way that works on this machine. Throws `PostgresError` when none does. */
export function chooseLauncher(): Launcher {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const works = ({ prefix: [command = '', ...args] }: Launcher): boolean => {
    try {
      execFileSync(command, [...args, 'true'], { stdio: 'ignore', cwd: '/' });
      return true;
    } catch {
      return false;
    }
  };
  const launcher = [inNamespace, asNobody].find(works);
  if (launcher) return launcher;
  throw new PostgresError(
    'PostgreSQL does not run as root, and neither unshare nor setpriv works here: start as an ordinary user.',
  );
}
