/** Bundles Ponder with our config, schema, handlers and API, which it otherwise loads through Vite at every start. */
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '@latchkey/bundle';
import type { Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');
const startCommand = fileURLToPath(new URL('./bin/commands/start.js', import.meta.resolve('ponder')));

const options = fileURLToPath(new URL('./internal/options.js', import.meta.resolve('ponder')));

const sqlParser = createRequire(startCommand).resolve('pg-query-emscripten');

const sources = () => globSync('src/**/*.ts', { cwd: root });

/** Ponder executes all files of `src` as handlers. `src/main.ts` starts the indexer and has none. */
function loaders(): string {
  const files = ['ponder.config.ts', 'ponder.schema.ts', ...sources()];
  const entries = files.map((file) => {
    const load = file === 'src/main.ts' ? '{}' : `import(${JSON.stringify(`./${file}`)})`;
    return `${JSON.stringify(join(root, file))}: () => ${load},`;
  });
  return `{${entries.join('\n')}}`;
}

/** Text of each module that is replaced. */
const modules: Record<string, () => string> = {
  // Defined by Ponder's plugin for Vite.
  'ponder:registry': () =>
    'const fns = []; export const ponder = { fns, on: (name, fn) => fns.push({ name, fn }) };',
  'ponder:schema': () => `export * from './ponder.schema.ts';`,
  'ponder:api': () => 'export const db = globalThis.PONDER_DATABASE.readonlyQB.raw;',
  // The parts of Vite that Ponder's start command calls.
  vite: () =>
    `export const createServer = async ({ root }) => ({ config: { root }, pluginContainer: { buildStart() {} }, close() {} });`,
  'vite-tsconfig-paths': () => 'export default () => {};',
  'vite-node/server': () => 'export class ViteNodeServer {}',
  'vite-node/source-map': () => 'export const installSourcemapsSupport = () => {};',
  'vite-node/utils': () => 'export const normalizeModuleId = undefined, toFilePath = undefined;',
  'vite-node/client': () => `
    const loaders = ${loaders()};
    export class ViteNodeRunner {
      executeFile = async (file) => loaders[file]();
      executeId = () => import('ponder:registry');
    }`,
  // Ponder creates a parser for every statement of a handler, which takes 25 ms. The handlers have a dozen different ones.
  'pg-query-emscripten': () => `
    const trees = new Map();
    let parser;
    export default async () => {
      parser ??= (await import(${JSON.stringify(sqlParser)})).default();
      const { parse } = await parser;
      return {
        parse: (sql) => trees.get(sql) ?? trees.set(sql, parse(sql)).get(sql),
      };
    };`,
  // Ponder waits for 25 seconds before it takes the tables of a killed process. The lock of the database already excludes another one.
  'ponder:options': () => `
    import { buildOptions as build } from ${JSON.stringify(options)};
    export const buildOptions = (args) => ({ ...build(args), databaseHeartbeatTimeout: Number.NEGATIVE_INFINITY });`,
  // Ponder writes a file of types beside its config at every start, and the file system of an image is read-only.
  'ponder:codegen': () => 'export const runCodegen = () => {};',
  // The engine is PostgreSQL.
  '@electric-sql/pglite': () => 'export class PGlite {}; export const types = undefined;',
};

const compiledPonder: Plugin = {
  name: 'bundle-ponder',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ponder\/start$/ }, () => ({ path: startCommand }));
    // Unused by our sources, which import Ponder's index.
    onResolve({ filter: /\/graphql\/middleware\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    }));
    // 9 MB, loaded by the first handler that runs SQL.
    onResolve({ filter: /./, namespace: 'bundle-ponder' }, ({ path }) =>
      path === sqlParser ? { path, external: true } : undefined,
    );
    onResolve({ filter: /\/utils\/codegen\.js$/ }, () => ({
      path: 'ponder:codegen',
      namespace: 'bundle-ponder',
    }));
    onResolve({ filter: /\/internal\/options\.js$/ }, ({ namespace }) =>
      namespace === 'file' ? { path: 'ponder:options', namespace: 'bundle-ponder' } : undefined,
    );
    onResolve({ filter: /^[@pv]/ }, ({ path }) =>
      path in modules ? { path, namespace: 'bundle-ponder' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'bundle-ponder' }, ({ path }) => ({
      contents: modules[path]?.() ?? '',
      resolveDir: root,
    }));
  },
};

/** Bundles the process that runs Ponder, and resolves to its path. An image has a final bundle. */
export const bundlePonder = ({ isFinal = false } = {}): Promise<string> =>
  bundle('indexer/service/run.ts', {
    isFinal,
    plugins: [compiledPonder],
    // Folders, because adding a file changes its folder.
    inputs: [
      'indexer/service/bundle-ponder.ts',
      ...new Set(sources().map((file) => join('indexer', dirname(file)))),
    ],
  });
