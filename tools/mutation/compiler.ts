/** Compiles: syntax trees, and contracts of changed sources. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, nodesOf } from './ast.ts';

interface Output {
  errors?: { severity: string; formattedMessage: string }[];
  sources?: Record<string, { ast: Node }>;
  contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
}

export class CompileError extends Error {}

/** Creation code in hex by the name of the contract. */
export type Codes = Record<string, string>;

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
/** The compiler as a command line. */
const SOLC = fileURLToPath(new URL('../solc.mjs', import.meta.url));
/** Some changes make the optimiser work for hours; valid code compiles in a fraction of this. */
const COMPILE_TIMEOUT_MS = 90_000;

/** The configuration in foundry.toml and remappings.txt. */
const config = JSON.parse(execFileSync('forge', ['config', '--json'], { encoding: 'utf8' })) as {
  remappings: string[];
  evm_version: string;
  optimizer_runs: number;
};

/** The folders of node_modules that contracts and tests import from. */
export const importedFolders = config.remappings.map((remapping) =>
  remapping.slice(remapping.indexOf('=') + 1).replace(/\/$/, ''),
);

const OPTIMIZER = { enabled: true, runs: config.optimizer_runs };
/** Takes half the time: only the first round of the compiler's own steps, and only the details that shrink the code. */
const LIGHT_OPTIMIZER = {
  ...OPTIMIZER,
  details: {
    peephole: true,
    jumpdestRemover: true,
    inliner: true,
    deduplicate: false,
    cse: false,
    constantOptimizer: false,
    orderLiterals: false,
    yul: true,
    yulDetails: { stackAllocation: true, optimizerSteps: 'dhfoDgvulfnTUtnIf:fDnTOcmu' },
  },
};

/** Returns the Solidity files below a folder, sorted by path. */
export function solidityFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sol'))
    .map((file) => posix.join(folder, file))
    .sort();
}

/** Reads files as text in which an index is a byte offset. */
export function readSources(files: string[]): Record<string, string> {
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'latin1')]));
}

function inputOf(
  sources: Record<string, string>,
  roots: string[],
  outputSelection: object,
  optimizer: object = OPTIMIZER,
): string {
  return JSON.stringify({
    language: 'Solidity',
    sources: withImports(sources, roots),
    settings: {
      remappings: config.remappings,
      evmVersion: config.evm_version,
      viaIR: true,
      optimizer,
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection,
    },
  });
}

function withoutErrors(json: string): Output {
  const output = JSON.parse(json) as Output;
  const error = output.errors?.find(({ severity }) => severity === 'error');
  if (error) throw new CompileError(error.formattedMessage);
  return output;
}

/** Throws CompileError for an error of syntax or types. */
export function check(sources: Record<string, string>): void {
  withoutErrors(solc.compile(inputOf(sources, Object.keys(sources), {})));
}

/** Compiles in a separate process, which can be killed. */
function compileInTime(input: string): string {
  const { stdout, status } = spawnSync(process.execPath, [SOLC, '--standard-json'], {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: COMPILE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new CompileError('the compiler timed out');
  return stdout;
}

/** Returns compiler input of these files and their imports: those in `sources`, and the others from disk. */
function withImports(
  sources: Record<string, string>,
  files: string[],
  found: Record<string, { content: string }> = {},
): Record<string, { content: string }> {
  for (const file of files) {
    if (file in found) continue;
    const source = sources[file];
    const content =
      source === undefined ? readFileSync(file, 'utf8') : Buffer.from(source, 'latin1').toString('utf8');
    found[file] = { content };
    const imported = [...content.matchAll(/^(?:import|\}) ?(?:[^;"]*\bfrom )?"([^"]+)";/gm)].map(
      ([, path = '']) => (path.startsWith('.') ? posix.join(posix.dirname(file), path) : remapped(path)),
    );
    withImports(sources, imported, found);
  }
  return found;
}

function remapped(path: string): string {
  for (const remapping of config.remappings) {
    const [prefix = '', target = ''] = remapping.split('=');
    if (path.startsWith(prefix)) return target + path.slice(prefix.length);
  }
  return path;
}

/** Returns the syntax trees. Throws CompileError for an error of syntax or types. */
export function parse(sources: Record<string, string>): Record<string, Node> {
  const input = inputOf(sources, Object.keys(sources), { '*': { '': ['ast'] } });
  const output = withoutErrors(solc.compile(input));
  return Object.fromEntries(
    Object.entries(output.sources ?? {})
      .filter(([file]) => file in sources)
      .map(([file, { ast }]) => [file, ast]),
  );
}

/** Compiles the contracts of these files, one per file with the same name, with the settings of foundry.toml. */
export function build(sources: Record<string, string>, files: string[]): Codes {
  const codes: Codes = {};
  for (const file of files) Object.assign(codes, compile(sources, [file], OPTIMIZER));
  return codes;
}

/** The files that need the whole optimiser, as their functions have too many variables for the stack without it. */
const heavy = new Set<string>();

/** Compiles as `build` does, in half the time, with less optimisation: for contracts whose gas no test compares. */
export function buildLight(sources: Record<string, string>, files: string[]): Codes {
  const light = files.filter((file) => !heavy.has(file));
  const codes = build(
    sources,
    files.filter((file) => heavy.has(file)),
  );
  if (light.length === 0) return codes;
  try {
    return { ...codes, ...compile(sources, light, LIGHT_OPTIMIZER) };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    if (light.length > 1) return Object.assign(codes, ...light.map((file) => buildLight(sources, [file])));
    const whole = build(sources, light);
    heavy.add(light[0] as string);
    return { ...codes, ...whole };
  }
}

function compile(sources: Record<string, string>, files: string[], optimizer: object): Codes {
  const selection = files.map((file) => [file, { [contractOf(file)]: ['evm.bytecode.object'] }]);
  const input = inputOf(sources, files, Object.fromEntries(selection), optimizer);
  const { contracts = {} } = withoutErrors(compileInTime(input));
  return Object.fromEntries(
    files.map((file) => {
      const name = contractOf(file);
      const evm = contracts[file]?.[name]?.evm;
      if (!evm) throw new CompileError(`${file} has no contract ${name}`);
      return [name, `0x${evm.bytecode.object}`];
    }),
  );
}

/** Returns the code of the deployed contracts as built by forge. */
export function builtCodes(asts: Record<string, Node>): Codes {
  const code = (name: string) =>
    (JSON.parse(readFileSync(artifactOf(name), 'utf8')) as { bytecode: { object: string } }).bytecode.object;
  return Object.fromEntries(deployedFiles(asts).map((file) => [contractOf(file), code(contractOf(file))]));
}

export function artifactOf(contract: string): string {
  return `out/${contract}.sol/${contract}.json`;
}

function contractOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1, -'.sol'.length);
}

/** Returns the files whose contract is deployed. */
export function deployedFiles(asts: Record<string, Node>): string[] {
  const isDeployed = (file: string) => (node: Node) =>
    node.contractKind === 'contract' && node.abstract === false && node.name === contractOf(file);
  return Object.keys(asts).filter((file) => nodesOf(asts[file]).some(isDeployed(file)));
}

/** Returns all direct and indirect imports of a file, and the file itself. */
export function imports(asts: Record<string, Node>, file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !(file in asts)) return found;
  found.add(file);
  for (const node of nodesOf(asts[file])) {
    if (node.nodeType === 'ImportDirective') imports(asts, node.absolutePath ?? '', found);
  }
  return found;
}
