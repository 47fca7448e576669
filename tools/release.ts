/** `npm run release`: checks, builds, lists and publishes the public packages. See HELP. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Packed, pack, publicPackages, readManifest } from '@latchkey/bundle/pack';
import { exitWithMistake, parseCommand } from '@latchkey/service/parse-command';
import { findFaults } from './release/check.ts';
import { findRefusals } from './release/refusals.ts';
import { rehearse } from './release/rehearse.ts';

const HELP = `npm run release [-- --dry-run | --rehearse [--from <ref>]]

Builds the public packages, lists them and publishes them to npm with provenance, which only the workflow "release" can do.
Publishes nothing when the working tree has changes, CHANGELOG.md has the version as released or not at all, a package
depends on a private one, or publint or arethetypeswrong finds something. A version that npm has already is left out.

  --dry-run   publishes nothing
  --rehearse  publishes nothing, and updates the services of a released version, with data, to this commit with a raised version. The packages of the
              released version go on using them. Prints a line per check, and exits with 1 when one fails. Takes about ten minutes
  --from REF  the released version: a tag, a branch or a commit (default: the newest tag)`;

const { values } = parseCommand(HELP, {
  'dry-run': { type: 'boolean', default: false },
  rehearse: { type: 'boolean', default: false },
  from: { type: 'string' },
});

const root = join(import.meta.dirname, '..');
const run = (command: string, args: string[]): string =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
const { version, repository } = readManifest('.') as { version: string; repository?: unknown };

function refuse(reasons: string[]): void {
  for (const reason of reasons) console.error(`refused: ${reason}`);
  process.exitCode = 1;
}

function findReasons(): string[] {
  const reasons = findRefusals({
    status: run('git', ['status', '--porcelain']),
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    version,
    manifests: readdirSync(join(root, 'packages')).map((name) => readManifest(`packages/${name}`)),
  });
  if (!values['dry-run'] && repository === undefined)
    reasons.push('package.json has no "repository", whose URL npm compares with that of the provenance.');
  return reasons;
}

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;

/** Returns a package as text: its dependencies and its files. */
function describe({ manifest, files, packedBytes, unpackedBytes }: Packed): string {
  const list = (versions: Record<string, string> = {}) =>
    Object.entries(versions).map(([name, range]) => `${name} ${range}`);
  const needs = {
    dependencies: list(manifest.dependencies),
    'optional dependencies': list(manifest.optionalDependencies),
    'peer dependencies': list(manifest.peerDependencies),
  };
  return [
    `${manifest.name} ${manifest.version}: packed ${kilobytes(packedBytes)}, unpacked ${kilobytes(unpackedBytes)}`,
    ...Object.entries(needs).flatMap(([kind, names]) =>
      names.length === 0 ? [] : [`  ${kind}: ${names.join(', ')}`],
    ),
    `  ${files.length} files: ${files.join(', ')}`,
  ].join('\n');
}

/** Publishes a package, unless an interrupted release did. */
function publish({ manifest, tarball }: Packed): void {
  const { name, version } = manifest;
  const known = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' });
  if (known.stdout.trim() === version) {
    console.log(`${name} ${version} is on npm`);
    return;
  }
  run('npm', ['publish', tarball, '--provenance', '--access', 'public']);
  console.log(`published ${name} ${version}`);
}

async function release(): Promise<void> {
  const reasons = findReasons();
  if (reasons.length > 0) return refuse(reasons);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'latchkey-release-'));
  const packages: Packed[] = [];
  for (const name of publicPackages) {
    const packed = await pack(name, folder.path);
    packages.push(packed);
    console.log(describe(packed));
  }
  const faults = (await Promise.all(packages.map(findFaults))).flat();
  if (faults.length > 0) return refuse(faults);
  if (values['dry-run']) console.log(`${packages.length} packages; nothing is published`);
  else packages.forEach(publish);
}

/** Returns the newest tag of a version. */
function newestTag(): string {
  const [tag = ''] = run('git', ['tag', '--list', 'v*', '--sort=-version:refname']).split('\n');
  return tag || exitWithMistake(HELP, 'No version has a tag: name a commit by --from');
}

if (values.rehearse) process.exit((await rehearse(values.from ?? newestTag())) ? 0 : 1);
await release();
