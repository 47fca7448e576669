/** A stand-in for an npm CDN: serves the installed packages, as files and as ES modules (`/+esm`), in their versions only. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { serve } from '../src/testing.ts';

const from = fileURLToPath(new URL('.', import.meta.url));
/** Directories of the packages that modules have imported, and of those that a test asks for, by name and version. */
const directories = new Map<string, string>();

/** Returns the version of a package as installed for the code in a directory. */
export function versionOf(name: string, importer = from): string | undefined {
  for (let at = importer; at !== dirname(at); at = dirname(at))
    try {
      const directory = join(at, 'node_modules', name);
      const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
      directories.set(`${name}@${version}`, directory);
      return version;
    } catch {
      // The next directory.
    }
  return undefined;
}

/** Makes ES modules import other packages from the CDN. CommonJS contains what it requires. */
const packagesApart: Plugin = {
  name: 'packages-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, resolveDir }) => {
      const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(path) ?? [];
      const version = kind === 'import-statement' ? versionOf(name, resolveDir) : undefined;
      return version === undefined ? null : { path: `/npm/${name}@${version}${rest}/+esm`, external: true };
    });
  },
};

/** Returns an ES module of a package, or of one of its exports. */
async function bundle(directory: string, specifier: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [specifier],
    absWorkingDir: directory.slice(0, directory.lastIndexOf('/node_modules/')),
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    logLevel: 'silent',
    plugins: [packagesApart],
  });
  return outputFiles[0]?.text ?? '';
}

type Reply = { status?: number; headers?: Record<string, string>; body?: string; delayMs?: number };

/** `instead` are replies instead of packages, by path. */
export async function startCdn(instead: Record<string, Reply> = {}) {
  const replies = { ...instead };
  const requests: string[] = [];
  const bundles = new Map<string, Promise<string>>();
  const bodyOf = async (path: string): Promise<string | undefined> => {
    const [, name = '', version, rest = ''] = /^\/npm\/((?:@[^/]+\/)?[^/@]+)@([^/]+)(\/.*)$/.exec(path) ?? [];
    const directory = directories.get(`${name}@${version}`);
    if (directory === undefined) return undefined;
    if (!rest.endsWith('/+esm')) return readFileSync(join(directory, rest), 'utf8');
    const specifier = `${name}${rest.slice(0, -'/+esm'.length)}`;
    const bundled = bundles.get(path) ?? bundle(directory, specifier);
    bundles.set(path, bundled);
    return bundled;
  };
  const server = await serve(async (request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const { status, headers, body, delayMs } =
      replies[path] ??
      (await bodyOf(path).then(
        (body): Reply => (body === undefined ? { status: 404 } : { body }),
        (): Reply => ({ status: 404 }),
      ));
    if (delayMs !== undefined) await setTimeout(delayMs);
    response.writeHead(status ?? 200, { 'content-type': 'application/javascript', ...headers }).end(body);
  });
  return { ...server, cdnUrl: `${server.url}/npm`, requests, replies };
}
