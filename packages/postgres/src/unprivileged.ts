/** Starts PostgreSQL for a process of root: PostgreSQL refuses to run as root. */
import { execFileSync } from 'node:child_process';
import { PostgresError } from './errors.ts';

/** User id of `nobody` on every Linux. */
const NOBODY = 65_534;

export type Launcher = {
  /** Precedes the command and replaces itself by it, so that the process id is PostgreSQL's. */
  prefix: string[];
  /** The user that must own the data directory; default: the user of this process. */
  owner?: number;
};

/** In a user namespace the server has another user id inside, and owns its files as root outside. */
const inNamespace: Launcher = { prefix: ['unshare', '--user', '--map-user=1000', '--map-group=1000'] };

/**
 * For machines without user namespaces, such as most containers: runs as the unprivileged user with the one capability
 * that reads and writes below a home directory that only root can enter.
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

/** Returns the first launcher that works on this machine. Throws `PostgresError` when there is none. */
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
    'PostgreSQL does not run as root, and neither unshare nor setpriv works on this machine: start as an ordinary user.',
  );
}
