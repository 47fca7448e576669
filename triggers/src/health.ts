import { sharedFor } from '@latchkey/http';
import type { Context } from './context.ts';
import type { Core } from './core.ts';
import type { OpenDatabase } from './db/database.ts';

const LIFETIME_MS = 1_000;

/** Asks every part at once, once a second at most however many ask. */
export function createHealthCheck(
  ping: OpenDatabase['ping'],
  core: Pick<Core, 'ping'>,
): Context['checkHealth'] {
  const works = (check: Promise<unknown>) =>
    check.then(
      () => ({ ok: true }),
      () => ({ ok: false }),
    );
  return sharedFor(LIFETIME_MS, async () => {
    const [database, coreHealth] = await Promise.all([works(ping()), works(core.ping())]);
    return { database, core: coreHealth };
  });
}
