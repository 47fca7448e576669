/** The committed and untracked files of a checkout, parsed. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { type Comment, type EcmaScriptModule, type Program, parseSync } from 'oxc-parser';

export type Script = {
  /** Relative to the root of the checkout. */
  path: string;
  text: string;
  /** The folder of the nearest package.json: '' is the root package. */
  owner: string;
  isTest: boolean;
  program: Program;
  module: EcmaScriptModule;
  comments: Comment[];
};

export type Manifest = {
  name: string;
  dependencies: Set<string>;
};

export type Checkout = {
  root: string;
  /** Every text file, generated ones excluded. */
  files: string[];
  /** Files that tools write, and data. */
  data: string[];
  scripts: Script[];
  /** By folder; '' is the root package. */
  manifests: Map<string, Manifest>;
};

const GENERATED = /(^|\/)(generated|migrations\/meta)\/|^deployments\/|^snapshots\//;
const DATA = /\.json$|^packages\/sdk\/docs\//;
const SCRIPT = /\.(tsx?|mjs|js)$/;
/** Solidity's tests are below test/ of the root. */
const TEST = /\/test\/|\.test\.ts$|^test\/.*\.sol$|\/testing(\.ts$|\/)/;

export function isTest(path: string): boolean {
  return TEST.test(path);
}

export function isScript(path: string): boolean {
  return SCRIPT.test(path);
}

/** Reads the files that git knows or would add. Throws when a file cannot be parsed. */
export function readCheckout(root: string): Checkout {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (listed.status !== 0) throw new Error(`git ls-files failed in ${root}: ${listed.stderr}`);
  const present = [...new Set(listed.stdout.split('\n'))]
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .sort();
  const files = present.filter((path) => !GENERATED.test(path));
  const data = present.filter((path) => GENERATED.test(path) || DATA.test(path));
  const manifests = new Map(
    files
      .filter((path) => path === 'package.json' || path.endsWith('/package.json'))
      .map((path) => [path === 'package.json' ? '' : dirname(path), readManifest(root, path)]),
  );
  const scripts = files
    .filter(isScript)
    .map((path) => parseScript(path, readFileSync(join(root, path), 'utf8'), ownerOf(path, manifests)));
  return { root, files, data, scripts, manifests };
}

export function parseScript(path: string, text: string, owner = ''): Script {
  const { program, module, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  return { path, text, owner, isTest: isTest(path), program, module, comments };
}

/** The line, from 1, of an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function ownerOf(path: string, manifests: Map<string, Manifest>): string {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (manifests.has(folder)) return folder;
  return '';
}

function readManifest(root: string, path: string): Manifest {
  const json: { name?: string; [field: string]: unknown } = JSON.parse(
    readFileSync(join(root, path), 'utf8'),
  );
  const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
  return {
    name: json.name ?? '',
    dependencies: new Set(fields.flatMap((field) => Object.keys(json[field] ?? {}))),
  };
}
