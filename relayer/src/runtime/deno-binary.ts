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
      // Not the package of this machine's C library: npm installed another one.
    }
  }
  throw new Error(`no Deno binary for ${process.platform}-${process.arch}: install the dependencies again`);
};

let found: string | undefined;

/** The binary inside Deno's package for this platform; the package's own launcher starts slower. */
export const denoBinary = (): string => {
  found ??= findBinary();
  return found;
};
