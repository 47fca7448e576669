/**
 * The script that an action's process starts from: `child/main.ts` with ethers v5, bundled in about 0.1 s.
 * Two parts of ethers are replaced because they would cost each process more than the rest of it: the ENS name
 * tables (25 ms, 16 MB) are decoded at the first name instead of at load, and the curve library is @noble's.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, stop } from 'esbuild';
import { LANGUAGE } from './child/globals.ts';

const childDir = fileURLToPath(new URL('./child/', import.meta.url));

const leanEthers: Plugin = {
  name: 'lean-ethers',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]signing-key[\\/]lib\.esm[\\/]elliptic\.js$/ }, () => ({
      contents: `export { EC } from './elliptic.ts';`,
      resolveDir: childDir,
    }));
    // `require` of an ES module makes esbuild run that module at the first call.
    onResolve({ filter: /^\.\/ens-normalize\/lib$/ }, ({ resolveDir }) => ({
      path: 'ens-normalize',
      namespace: 'lazy',
      pluginData: { resolveDir },
    }));
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ pluginData }) => ({
      contents: ['ens_normalize', 'ens_normalize_post_check']
        .map((name) => `export const ${name} = (text) => require('./ens-normalize/lib.js').${name}(text);`)
        .join('\n'),
      resolveDir: pluginData.resolveDir,
    }));
  },
};

/** Where ethers would put an error of its own in the place of one of `fetch`; the text behind it stays. */
const WRAPS: [file: RegExp, before: string][] = [
  [/[\\/]web[\\/]lib\.esm[\\/]index\.js$/, 'response = error.response;'],
  [/[\\/]json-rpc-provider\.js$/, 'try {\n                    chainId = yield this.send("net_version"'],
  [/[\\/]json-rpc-provider\.js$/, 'const transaction = params.transaction || params.signedTransaction;'],
  [/[\\/]abstract-signer[\\/]lib\.esm[\\/]index\.js$/, 'if (forwardErrors.indexOf(error.code) >= 0) {'],
];
const PASSED_ON = 'FetchBlockedError';

/** A provider of ethers rejects with the `FetchBlockedError` of its fetch, and not with a guess at the network. */
const honestEthers: Plugin = {
  name: 'honest-ethers',
  setup({ onLoad }) {
    for (const file of new Set(WRAPS.map(([file]) => file.source))) {
      onLoad({ filter: new RegExp(file) }, async ({ path }) => {
        let contents = await readFile(path, 'utf8');
        for (const [, before] of WRAPS.filter(([{ source }]) => source === file)) {
          if (contents.split(before).length !== 2) throw new Error(`${path} is not what it was: ${before}`);
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
 * The bundle's own names for what it takes from the global scope while an action runs: a classic script that declares
 * `const URL` or `class Map` declares it for every script of the process.
 */
const KEPT_GLOBALS =
  `${LANGUAGE} TextEncoder TextDecoder crypto setTimeout clearTimeout setInterval clearInterval`
    .trim()
    .split(/\s+/)
    .filter((name) => !['Infinity', 'NaN', 'undefined', 'globalThis', 'eval'].includes(name))
    .map((name) => `${name} = globalThis.${name}`);

/** The text of the script. */
export const buildChildScript = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [`${childDir}main.ts`],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'esnext',
    external: ['node:vm'],
    // ethers' WebSocketProvider keeps the class it finds at load; sockets are not part of the environment.
    define: { WebSocket: 'undefined' },
    banner: { js: `const ${KEPT_GLOBALS};` },
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [leanEthers, honestEthers],
  });
  // The process of esbuild would stay for as long as this one.
  await stop();
  return outputFiles[0]?.text ?? '';
};
