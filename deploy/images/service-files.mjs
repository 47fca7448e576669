/**
 * Part of the Dockerfile: `node service-files.mjs FOLDER` installs what the service in that workspace needs at run time, at the versions of
 * package-lock.json, and copies it with its sources and a bill of materials to /service.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const [folder] = process.argv.slice(2);
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

// npm installs the development dependencies of workspaces that are linked, even with --omit=dev.
for (const path of globSync(['package.json', 'packages/*/package.json', '*/package.json'])) {
  const { devDependencies, scripts, ...manifest } = readJson(path);
  // The base has Node.
  if (path === 'package.json') delete manifest.dependencies;
  writeFileSync(path, JSON.stringify(manifest));
}
const locked = readJson('package-lock.json').packages;
const options = ['--omit=dev', `--workspace=${folder}`, '--ignore-scripts', '--no-audit', '--no-fund'];
execFileSync('npm', ['install', ...options], { stdio: 'inherit' });
const added = Object.entries(readJson('package-lock.json').packages).filter(
  ([path, { version }]) => path.includes('node_modules/') && locked[path]?.version !== version,
);
if (added.length > 0)
  throw new Error(`not at the versions of package-lock.json: ${added.map(([path]) => path)}`);

const workspaces = readdirSync('node_modules/@latchkey').map((name) =>
  relative('.', realpathSync(`node_modules/@latchkey/${name}`)),
);
// The relayer runs standard actions.
for (const path of ['LICENSE', 'actions', 'node_modules', ...workspaces])
  cpSync(path, `/service/${path}`, { recursive: true, verbatimSymlinks: true });
writeFileSync('/service/package.json', JSON.stringify({ ...readJson('package.json'), workspaces }));

/** The lock has no hash of packages for other platforms than the one on which it was made, for example of Linux on ARM. */
const hashesOf = (integrity = '') =>
  [...integrity.matchAll(/sha(\d+)-(\S+)/g)].map(([, bits, digest]) => ({
    alg: `SHA-${bits}`,
    content: Buffer.from(digest, 'base64').toString('hex'),
  }));

const components = Object.entries(readJson('node_modules/.package-lock.json').packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, { version, license, integrity }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return {
      type: 'library',
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      licenses: license ? [{ expression: license }] : [],
      hashes: hashesOf(integrity),
    };
  });
const { version } = readJson('package.json');
const component = { type: 'application', name: `latchkey-${folder}`, version };
writeFileSync(
  '/service/sbom.json',
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components,
  }),
);
