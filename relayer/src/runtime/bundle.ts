/**
 * The script that an action's process starts from: `child/main.ts` with ethers v5, bundled in about 0.1 s.
 * Two parts of ethers are replaced because they would cost each process more than the rest of it: the ENS name
 * tables (25 ms, 16 MB) are decoded at the first name instead of at load, and the curve library is @noble's.
 */
import { fileURLToPath } from 'node:url';
import { build, type Plugin, stop } from 'esbuild';

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
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [leanEthers],
  });
  // The process of esbuild would stay for as long as this one.
  await stop();
  return outputFiles[0]?.text ?? '';
};
