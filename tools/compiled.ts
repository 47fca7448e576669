/**
 * `npm run snapshot:compiled [-- --check]`: compiles the contracts and scripts from nothing and stores the result, which a first start uses.
 * With --check, compares it with the last build instead.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { foundryBinary } from '@latchkey/foundry';
import { CACHE_FILE, type Compiled, readCompiled, writeCompiled } from '@latchkey/foundry/compiled';

const root = join(import.meta.dirname, '..');

type Index = {
  paths: { artifacts: string; build_infos: string };
  files: Record<string, IndexedFile>;
};
type IndexedFile = {
  lastModificationDate: number;
  contentHash: string;
  /** By name of the contract, version of the compiler and profile. */
  artifacts: Record<string, Record<string, Record<string, { path: string }>>>;
};

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Compiles contracts and scripts in a new directory. */
async function compile(): Promise<Compiled> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-compiled-'));
  try {
    const [out, cache] = [join(directory, 'out'), join(directory, 'cache')];
    const env = { ...process.env, FOUNDRY_OUT: out, FOUNDRY_CACHE_PATH: cache };
    execFileSync(foundryBinary('forge'), ['build', 'contracts', 'script'], { env, stdio: 'inherit' });
    const artifacts = filesIn(out).map((path) => [
      join('out', path.slice(out.length)),
      readFileSync(path, 'utf8'),
    ]);
    return { ...Object.fromEntries(artifacts), [CACHE_FILE]: indexIn(cache) };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Returns forge's index, as it would be in the repository of any machine. */
function indexIn(cache: string): string {
  const index = JSON.parse(readFileSync(join(cache, 'solidity-files-cache.json'), 'utf8')) as Index;
  index.paths.artifacts = 'out';
  index.paths.build_infos = 'out/build-info';
  for (const file of Object.values(index.files)) file.lastModificationDate = 0;
  return JSON.stringify(index);
}

/** Returns what is deployed and called of an artifact; the rest depends on the other files of the build. */
function contentOf(artifact: string): string {
  const { abi, bytecode, deployedBytecode } = JSON.parse(artifact);
  return JSON.stringify([abi, bytecode?.object, deployedBytecode?.object]);
}

/** Returns the paths of the artifacts of a file, by contract, compiler and profile. Their names depend on the other files of the build. */
const artifactsOf = ({ artifacts }: IndexedFile) =>
  new Map(
    Object.entries(artifacts).flatMap(([contract, versions]) =>
      Object.entries(versions).flatMap(([version, profiles]) =>
        Object.entries(profiles).map(
          ([profile, { path }]) => [`${contract} ${version} ${profile}`, path] as const,
        ),
      ),
    ),
  );

/** Returns the contracts and scripts that differ from what `npm run build` compiled. */
function differences(compiled: Compiled): string[] {
  const stored = (JSON.parse(compiled[CACHE_FILE] ?? '') as Index).files;
  const built = (JSON.parse(readFileSync(join(root, CACHE_FILE), 'utf8')) as Index).files;
  const own = Object.keys({ ...stored, ...built }).filter((path) => /^(contracts|script)\//.test(path));
  return own.filter((source) => {
    const [before, now] = [stored[source], built[source]];
    if (!before || !now || before.contentHash !== now.contentHash) return true;
    const paths = artifactsOf(now);
    return [...artifactsOf(before)].some(([name, path]) => {
      const found = paths.get(name);
      const text = found && readFileSync(join(root, 'out', found), 'utf8');
      return !text || contentOf(text) !== contentOf(compiled[join('out', path)] ?? '{}');
    });
  });
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (values.check) {
  const found = differences(await readCompiled(root));
  if (found.length > 0) {
    console.error(
      `Stored and built contracts differ: run npm run snapshot:compiled\n  ${found.join('\n  ')}`,
    );
    process.exit(1);
  }
} else {
  await writeCompiled(root, await compile());
}
