/**
 * Adds to package-lock.json the platform packages (optional dependencies such as `@deno/darwin-arm64`) that npm omits
 * when the registry in use does not carry them. Without them `npm ci` refuses the lock everywhere. Run after every `npm
 * install`: `npm run lock`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  version?: string;
  dev?: true;
  optional?: true;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors: Record<string, string> = {
  amd64: 'x64',
  x64: 'x64',
  arm64: 'arm64',
  arm: 'arm',
  ia32: 'ia32',
  loong64: 'loong64',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
};

/** Returns the platform of a package by its name. */
function parsePlatform(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> | undefined {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-');
  const os = words.find((word) => systems.includes(word));
  const cpu = words.map((word) => processors[word]).find((word) => word !== undefined);
  if (os === undefined || cpu === undefined) return undefined;
  const libc = words.some((word) => word.startsWith('musl')) ? { libc: ['musl'] } : {};
  return { os: [os], cpu: [cpu], ...libc };
}

/** Returns the path of a dependency as Node resolves it from `path`. */
function find(packages: Record<string, LockedPackage>, path: string, name: string): string | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
  }
}

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> };
const added: string[] = [];
for (const [path, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (find(lock.packages, path, name)) continue;
    const platform = parsePlatform(name);
    if (!platform || !/^\d+\.\d+\.\d+$/.test(version))
      throw new Error(
        `${path} needs ${name}@${version}, which is neither in the lock nor a platform package`,
      );
    lock.packages[`node_modules/${name}`] = { version, ...(dev && { dev }), optional: true, ...platform };
    added.push(`${name}@${version}`);
  }
}
const sorted = Object.entries(lock.packages).sort(([left], [right]) => left.localeCompare(right, 'en'));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
console.log(added.length === 0 ? 'the lock is complete' : `added ${added.length}: ${added.join(', ')}`);
