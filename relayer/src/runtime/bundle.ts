/**
 * The script that each action process starts from: `child/main.ts` with ethers v5, bundled in about 0.1 s. Two parts of
 * ethers are replaced because they would dominate the start of each process: the ENS name tables (25 ms, 16 MB) are
 * decoded at the first name instead of at load, and the curve library is @noble's.
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
const KEPT_GLOBALS =
  `${LANGUAGE} TextEncoder TextDecoder crypto setTimeout clearTimeout setInterval clearInterval`
    .trim()
    .split(/\s+/)
    .filter((name) => !['Infinity', 'NaN', 'undefined', 'globalThis', 'eval'].includes(name))
    .map((name) => `${name} = globalThis.${name}`);

/** Returns the text of the script. */
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
    // ethers' WebSocketProvider captures the class at load; sockets are not part of the environment.
    define: { WebSocket: 'undefined' },
    banner: { js: `const ${KEPT_GLOBALS};` },
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [leanEthers, honestEthers],
  });
  // Otherwise esbuild's process would live as long as this one.
  await stop();
  return outputFiles[0]?.text ?? '';
};
