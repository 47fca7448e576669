/** The PostgreSQL server of a stack, with one database per service. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensureDatabase, PostgresError, prepareServer } from '@latchkey/postgres';
import { createFile } from '@latchkey/service/files';
import type { Part, Parts } from './parts.ts';
import { readKept, StackError } from './root.ts';

const services = ['relayer', 'triggers', 'indexer'] as const;
export type DatabaseUrls = Record<(typeof services)[number], string>;

export type Postgres = {
  part: Part;
  urls: DatabaseUrls;
  /** Resolves when the server answers and every service has its database. */
  createDatabases: () => Promise<void>;
};

/** Starts the server in `directory`, on the databases of the last start if any. It may not answer yet. */
export async function startDatabase(
  parts: Parts,
  { directory, port, env }: { directory: string; port: number; env: Record<string, string | undefined> },
): Promise<Postgres> {
  const server = await prepareServer({ directory, port }).catch((error: Error) => {
    throw error instanceof PostgresError ? new StackError(error.message, { cause: error }) : error;
  });
  const part = await parts.start('postgres', server.command, server.args, {
    env: { ...env, ...server.env },
    // A fast shutdown: SIGTERM would wait until every session ends by itself.
    stopSignal: 'SIGINT',
  });
  return {
    part,
    urls: Object.fromEntries(services.map((name) => [name, server.url(name)])) as DatabaseUrls,
    async createDatabases() {
      for (const name of services) await ensureDatabase(server.url('postgres'), name);
    },
  };
}

/** Returns 32 random bytes in base64: created on the first start, then kept. */
export async function loadSecret(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await createFile(path, randomBytes(32).toString('base64'));
  const key = await readKept(path, (text) => {
    if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) throw new Error('expected the base64 of 32 bytes');
    return text;
  });
  return key as string;
}
