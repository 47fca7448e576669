/** Services as one file each. They start with a quarter of the processor time, since Node neither resolves nor links modules. */
import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { appendFile, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

const root = join(import.meta.dirname, '../../..');

/**
 * Options with which Node runs key nodes, and part of the options of services. V8 begins with 1 MB for new objects, which three runs
 * fill: it would collect garbage during requests and take the survivors for old objects. A small heap collects its old objects after
 * every 10 MB more, buffers included; twice the heap makes that five times as rare. One thread marks them, because four would take
 * every core.
 */
export const nodeOptions = [
  '--min-semi-space-size=8',
  '--heap-growing-percent=100',
  '--concurrent-marking-max-worker-num=1',
];

/**
 * Options with which Node runs a service that replies to many short requests. V8 optimizes a function after 3,000 calls, which a
 * path with a request a second reaches after 50 minutes. Key nodes, whose calls are long, are slower with less.
 */
export const serviceOptions = [...nodeOptions, '--invocation-count-for-turbofan=600'];

/** Packages that find their other files by their own path, and those that few processes load. */
const EXTERNAL = [
  '@latchkey/bundle',
  '@napi-rs/keyring',
  'esbuild',
  'oxc-parser',
  'tiny-secp256k1',
  '@aws-sdk/client-kms',
  'google-auth-library',
  ...['context-async-hooks', 'core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace'].map(
    (name) => `@opentelemetry/${name}`,
  ),
];

/** Sources find the files beside them from anywhere. */
const ownPaths: Plugin = {
  name: 'own-paths',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const own = { dirname: dirname(path), filename: path, url: pathToFileURL(path).href };
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(
        /\bimport\.meta\.(dirname|filename|url)\b/g,
        (_, name: keyof typeof own) => JSON.stringify(own[name]),
      );
      return { loader: 'ts', contents };
    });
  },
};

type Input = { path: string; mtimeMs: number; size: number };

/** Calls that have not resolved, by their entry. */
const running = new Map<string, Promise<string>>();
let builds = 0;

type Options = {
  plugins?: Plugin[];
  /** Further files and directories, relative to the repository, that determine the bundle. A directory changes when it gets or loses a file. */
  inputs?: string[];
  /** The sources and dependencies do not change any more, as those of an image. */
  isFinal?: boolean;
};

/**
 * Bundles a service when one of its sources or dependencies has changed.
 * @param entry - Relative to the repository, for example `relayer/src/main.ts`.
 * @returns The absolute path of the bundle, which runs in this checkout only: it reads files beside its sources.
 */
export function bundle(entry: string, options: Options = {}): Promise<string> {
  const known = running.get(entry);
  if (known) return known;
  const bundling = bundleChanged(entry, options).finally(() => running.delete(entry));
  running.set(entry, bundling);
  return bundling;
}

async function bundleChanged(entry: string, options: Options): Promise<string> {
  // Below the package, so that external modules are found as its sources find them.
  const cache = join(root, packageOf(entry), 'node_modules', '.cache');
  const outfile = join(cache, fileName(entry));
  if (await isCurrent(outfile)) return outfile;
  // Several processes may bundle concurrently.
  const made = join(cache, `${randomUUID()}.mjs`);
  try {
    await write(entry, made, options);
    await rename(`${made}.map`, `${outfile}.map`);
    await rename(made, outfile);
  } finally {
    await Promise.all([made, `${made}.map`].map((path) => rm(path, { force: true })));
  }
  return outfile;
}

/** Returns the closest directory with a package.json. */
const packageOf = (path: string): string =>
  existsSync(join(root, dirname(path), 'package.json')) ? dirname(path) : packageOf(dirname(path));

const fileName = (entry: string): string =>
  relative(packageOf(entry), entry).replaceAll('/', '-').replace(/\.ts$/, '.mjs');

/** npm writes it when it changes an installed package. */
const INSTALLED = 'node_modules/.package-lock.json';

/** Last line of a bundle, and more than its length. */
const INPUTS = '//# inputs=';
const MAX_INPUTS_BYTES = 1 << 20;

/** Returns the end of a file, or nothing when it does not exist. */
async function readEnd(path: string, bytes: number): Promise<string> {
  await using file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, bytes)), {
    position: Math.max(0, size - bytes),
  });
  return buffer.toString('utf8', 0, bytesRead);
}

async function isCurrent(outfile: string): Promise<boolean> {
  const text = await readEnd(outfile, MAX_INPUTS_BYTES);
  const start = text.lastIndexOf(INPUTS);
  if (start < 0) return false;
  const inputs = JSON.parse(text.slice(start + INPUTS.length)) as Input[];
  return inputs.every(({ path, mtimeMs, size }) => {
    const now = statSync(join(root, path), { throwIfNoEntry: false });
    return now?.mtimeMs === mtimeMs && now.size === size;
  });
}

async function write(
  entry: string,
  outfile: string,
  { plugins = [], inputs = [], isFinal = false }: Options,
): Promise<void> {
  const startedAt = Date.now();
  // Loaded here: most starts find their bundles current.
  const { build, stop } = await import('esbuild');
  builds++;
  try {
    const { metafile } = await build({
      entryPoints: [join(root, entry)],
      outfile,
      absWorkingDir: root,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      external: EXTERNAL,
      plugins: [...plugins, ownPaths],
      // CommonJS modules require modules of Node.
      banner: {
        js: "import * as $module from 'node:module'; const require = $module.createRequire(import.meta.url);",
      },
      metafile: true,
      // For debuggers. With --enable-source-maps, stack traces use it and each process 50 MB more.
      sourcemap: 'external',
      sourcesContent: false,
      logLevel: 'silent',
    });
    // Modules that plugins define are not files.
    const sources = Object.keys(metafile.inputs).filter((path) => !/node_modules\/|^[\w-]+:/.test(path));
    const paths = isFinal ? [] : [...sources, ...inputs, relative(root, import.meta.filename), INSTALLED];
    const states = paths.map((path): Input => {
      const { mtimeMs, size } = statSync(join(root, path));
      // A file that changed meanwhile may be in the bundle as it was before.
      return { path, mtimeMs: mtimeMs < startedAt ? mtimeMs : 0, size };
    });
    const map = `//# sourceMappingURL=${fileName(entry)}.map\n`;
    await appendFile(outfile, `${map}${INPUTS}${JSON.stringify(states)}\n`);
  } finally {
    // The process of esbuild would outlive the program's work.
    if (--builds === 0) await stop();
  }
}
