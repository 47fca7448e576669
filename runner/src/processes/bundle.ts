/**
 * The program of an action process: `child/main.ts` with ethers v5, bundled in about 0.1 s, and a file with the compiled curve.
 * Loading all of ethers would take longer than the rest of the start, so that each of its parts is loaded at its first use.
 */
import { chmod, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, stop } from 'esbuild';
import { LANGUAGE } from '../child/globals.ts';

const childDir = fileURLToPath(new URL('../child/', import.meta.url));

/** Modules that are loaded at the first call of one of their functions, by the file that imports them. */
const LOADED_BY_CALL: { importer: RegExp; specifier: string; functions: string[]; rest?: string }[] = [
  {
    importer: /[\\/]strings[\\/]|[\\/]hash[\\/]/,
    specifier: './ens-normalize/lib',
    functions: ['ens_normalize', 'ens_normalize_post_check'],
  },
  {
    importer: /[\\/]wallet[\\/]lib\.esm[\\/]/,
    specifier: '@ethersproject/json-wallets',
    functions: ['decryptJsonWallet', 'decryptJsonWalletSync', 'encryptKeystore'],
  },
  {
    importer: /[\\/]wallet[\\/]lib\.esm[\\/]/,
    specifier: '@ethersproject/hdnode',
    functions: ['entropyToMnemonic'],
    rest: `
      export const HDNode = { fromMnemonic: (...args) => load().HDNode.fromMnemonic(...args) };
      export const defaultPath = "m/44'/60'/0'/0/0";`,
  },
];

/** `require` of an ES module makes esbuild run that module at the first call. */
const loadedByCall: Plugin = {
  name: 'loaded-by-call',
  setup({ onLoad, onResolve }) {
    for (const module of LOADED_BY_CALL) {
      onResolve({ filter: new RegExp(`^${module.specifier}$`) }, ({ importer, resolveDir, namespace }) =>
        namespace === 'file' && module.importer.test(importer)
          ? { path: module.specifier, namespace: 'loaded-by-call', pluginData: { ...module, resolveDir } }
          : undefined,
      );
    }
    onLoad({ filter: /.*/, namespace: 'loaded-by-call' }, ({ path, pluginData }) => ({
      contents: [
        `const load = () => require('${path}');`,
        ...pluginData.functions.map(
          (name: string) => `export const ${name} = (...args) => load().${name}(...args);`,
        ),
        pluginData.rest ?? '',
      ].join('\n'),
      resolveDir: pluginData.resolveDir,
    }));
  },
};

/** Replaces the two files of ethers that gather its parts by objects that load each part at its first use. */
const ethersByPart: Plugin = {
  name: 'ethers-by-part',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]ethers[\\/]lib\.esm[\\/]index\.js$/ }, () => ({
      contents: `export { namespace as ethers } from './ethers';`,
    }));
    onLoad({ filter: /[\\/]ethers[\\/]lib\.esm[\\/](?:ethers|utils)\.js$/ }, async ({ path }) => ({
      contents: gatherByPart(path, await readFile(path, 'utf8')),
    }));
    // The curve library would precompute more than one run uses.
    onLoad({ filter: /[\\/]signing-key[\\/]lib\.esm[\\/]elliptic\.js$/ }, () => ({
      contents: `export { EC } from './elliptic.ts';`,
      resolveDir: childDir,
    }));
  },
};

/** `ethers.logger`, the only export that is made in the file itself. */
const LOGGER = `new (require('@ethersproject/logger').Logger)(require('./_version').version)`;

/** Returns the same exports as one object, `namespace`. Throws when the file is not a list of imports and exports. */
function gatherByPart(path: string, source: string): string {
  const code = source.replace(/^\s*\/\/.*$/gm, '');
  const values = new Map<string, string>([['logger', LOGGER]]);
  for (const [, all, named, from] of code.matchAll(
    /^import (?:\* as (\w+)|\{([^}]*)\}) from "([^"]+)";$/gm,
  )) {
    if (all === 'utils') values.set('utils', `require('./utils').namespace`);
    else if (all !== undefined) values.set(all, `require('${from}')`);
    for (const name of named?.split(',') ?? []) {
      const [imported = '', local = imported] = name.trim().split(' as ');
      values.set(local, `require('${from}').${imported}`);
    }
  }
  const exported =
    /^export \{([^}]*)\};$/m
      .exec(code)?.[1]
      ?.split(',')
      .map((name) => name.trim()) ?? [];
  const getters = exported.toSorted().map((name) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`${path} has changed: it does not import "${name}"`);
    return `${name}: () => ${value},`;
  });
  if (getters.length === 0) throw new Error(`${path} has changed: it has no list of exports`);
  return `import { namespaceOf } from '${childDir}namespace.ts';
    export const namespace = namespaceOf({ ${getters.join('\n')} });`;
}

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

/** Places where ethers replaces an error of `fetch` by its own. The code after each place stays unchanged. */
const WRAPS: [file: RegExp, before: string][] = [
  [/[\\/]web[\\/]lib\.esm[\\/]index\.js$/, 'response = error.response;'],
  [/[\\/]json-rpc-provider\.js$/, 'try {\n                    chainId = yield this.send("net_version"'],
  [/[\\/]json-rpc-provider\.js$/, 'const transaction = params.transaction || params.signedTransaction;'],
  [/[\\/]abstract-signer[\\/]lib\.esm[\\/]index\.js$/, 'if (forwardErrors.indexOf(error.code) >= 0) {'],
];
const PASSED_ON = 'FetchBlockedError';

/**
 * Makes providers of ethers reject with the `FetchBlockedError` of their fetch instead of a network detection error.
 */
const honestEthers: Plugin = {
  name: 'honest-ethers',
  setup({ onLoad }) {
    for (const file of new Set(WRAPS.map(([file]) => file.source))) {
      onLoad({ filter: new RegExp(file) }, async ({ path }) => {
        let contents = await readFile(path, 'utf8');
        for (const [, before] of WRAPS.filter(([{ source }]) => source === file)) {
          if (contents.split(before).length !== 2)
            throw new Error(`${path} has changed: it does not contain "${before}"`);
          contents = contents.replace(
            before,
            (text) => `if (error.name === "${PASSED_ON}") throw error;\n${text}`,
          );
        }
        return { contents };
      });
    }
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
    plugins: [loadedByCall, ethersByPart, compiledCurve, honestEthers],
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
    conditions: ['@latchkey/source', 'browser'],
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
