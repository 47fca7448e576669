/** The program of an action process: `child/main.ts` with ethers v5, bundled in about 0.1 s, and a file with the compiled curve. */
import { chmod } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, stop } from 'esbuild';
import { LANGUAGE } from '../child/globals.ts';

const childDir = fileURLToPath(new URL('../child/', import.meta.url));

/**
 * Modules of ethers that are loaded at their first use: esbuild runs an ES module at the first call of its `require`. Bundling fails when
 * ethers does not have them.
 */
const ethersModules: Plugin = {
  name: 'ethers-modules',
  setup({ onEnd, onLoad, onResolve }) {
    const replaced = new Set<string>();
    // The curve library would precompute more than one run uses.
    onLoad({ filter: /[\\/]signing-key[\\/]lib\.esm[\\/]elliptic\.js$/ }, () => {
      replaced.add('elliptic');
      return {
        contents: `export const EC = function () { return new (require('./elliptic.ts').EC)(); };`,
        resolveDir: childDir,
      };
    });
    // The library would need more memory than a run has.
    onLoad({ filter: /[\\/]scrypt-js[\\/]scrypt\.js$/ }, () => {
      replaced.add('scrypt');
      return {
        contents: `import { scrypt, syncScrypt } from './scrypt.ts'; export default { scrypt, syncScrypt };`,
        resolveDir: childDir,
      };
    });
    // 23 MB of tables.
    onResolve({ filter: /^\.\/ens-normalize\/lib$/ }, ({ namespace, resolveDir }) =>
      namespace === 'file' ? { path: resolveDir, namespace: 'ens-normalize' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'ens-normalize' }, ({ path }) => {
      replaced.add('ens-normalize');
      const contents = `export const ens_normalize = (name) => require('./ens-normalize/lib').ens_normalize(name);`;
      return { contents, resolveDir: path };
    });
    onEnd(() => {
      if (replaced.size !== 3) throw new Error(`ethers has changed: only ${[...replaced]} is replaced`);
    });
  },
};

/** The loader of tiny-secp256k1 takes the file with Node. */
const compiledCurve: Plugin = {
  name: 'compiled-curve',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]tiny-secp256k1[\\/]lib[\\/]wasm_loader\.js$/ }, ({ path }) => ({
      contents: `import { instantiate } from '${childDir}curve.ts';
        import name from './secp256k1.wasm';
        import { throwError } from './validate_error.js';
        export default instantiate(name, throwError);`,
      resolveDir: dirname(path),
    }));
  },
};

/**
 * The bundle's private names for the globals it uses while an action runs. A classic script that declares `const URL`
 * or `class Map` declares it for every script of the process.
 */
const KEPT_GLOBALS = `${LANGUAGE} TextEncoder TextDecoder self`
  .trim()
  .split(/\s+/)
  .filter((name) => !['Infinity', 'NaN', 'undefined', 'globalThis', 'eval'].includes(name))
  .map((name) => `${name} = globalThis.${name}`);

/** The modules of Node that Deno has. They have no path that the import map would refuse. */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onLoad, onResolve }) {
    const filter = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'builtin', sideEffects: false }));
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = globalThis.process.getBuiltinModule('${path}');`,
    }));
  },
};

/** The loader of tiny-secp256k1 for the program of key processes, which reads no file. */
const inlinedCurve: Plugin = {
  name: 'inlined-curve',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]tiny-secp256k1[\\/]lib[\\/]wasm_loader\.js$/ }, ({ path }) => ({
      contents: `import bytes from './secp256k1.wasm';
        import { throwError } from './validate_error.js';
        const generateInt32 = () => crypto.getRandomValues(new Int32Array(1))[0];
        const imports = { './rand.js': { generateInt32 }, './validate_error.js': { throwError } };
        export default new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports;`,
      resolveDir: dirname(path),
    }));
  },
};

/** The only file that a process can read. */
export const curvePathOf = (scriptPath: string): string => join(dirname(scriptPath), 'secp256k1.wasm');

/** Writes the program into the directory, readable by every user. Returns the path of its script. */
export const writeProgram = async (directory: string): Promise<string> => {
  await build({
    entryPoints: { runtime: `${childDir}main.ts` },
    bundle: true,
    outdir: directory,
    assetNames: '[name]',
    loader: { '.wasm': 'file' },
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'esnext',
    // Sockets are not part of the environment; libraries that look for the others would make Deno load Node's.
    define: { WebSocket: 'undefined', process: 'undefined', Buffer: 'undefined', setImmediate: 'undefined' },
    inject: [`${childDir}timers.ts`],
    banner: { js: `const ${KEPT_GLOBALS};` },
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [ethersModules, compiledCurve],
  });
  // Otherwise esbuild's process would live as long as this one.
  await stop();
  const scriptPath = join(directory, 'runtime.js');
  // Action processes can have another user, and the runner any umask.
  for (const path of [scriptPath, curvePathOf(scriptPath)]) await chmod(path, 0o644);
  return scriptPath;
};

/** Writes the program of key processes into the directory, readable by every user. Returns the path of its script. */
export const writeKeyProgram = async (directory: string): Promise<string> => {
  const scriptPath = join(directory, 'keys.js');
  await build({
    stdin: {
      contents: `import { host } from './child/key-host.ts';
        import { serveKeys } from './keys/key-program.ts';
        await serveKeys(host);`,
      resolveDir: dirname(childDir),
    },
    bundle: true,
    outfile: scriptPath,
    loader: { '.wasm': 'binary' },
    minify: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['browser'],
    mainFields: ['browser', 'module', 'main'],
    target: 'esnext',
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [inlinedCurve, builtins],
  });
  await stop();
  await chmod(scriptPath, 0o644);
  return scriptPath;
};
