import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

const findBinary = (): string => {
  const manifest = require.resolve('deno/package.json');
  const { optionalDependencies } = require(manifest) as { optionalDependencies: Record<string, string> };
  const prefix = `@deno/${process.platform}-${process.arch}`;
  for (const name of Object.keys(optionalDependencies).filter((name) => name.startsWith(prefix))) {
    try {
      return join(dirname(createRequire(manifest).resolve(`${name}/package.json`)), 'deno');
    } catch {
      // The package is for another C library than this machine's: try the next one.
    }
  }
  throw new Error(`no Deno binary for ${process.platform}-${process.arch}: reinstall the dependencies`);
};

let found: string | undefined;

/** Returns the binary inside Deno's package for this platform. The package's own launcher starts more slowly. */
export const denoBinary = (): string => {
  found ??= findBinary();
  return found;
};
