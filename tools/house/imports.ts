/**
 * Import cycles, undeclared imports and imports that point upward. dependency-cruiser 18 reads no TypeScript with TypeScript 7: of 1,700
 * files it saw 20. knip 6 finds no cycle of type imports, and lets every package import what the root declares.
 */
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { Visitor } from 'oxc-parser';
import type { Checkout, Manifest, Script } from './sources.ts';

/** Files that import each other, directly or not; type imports count. */
export type Cycle = string[];

/** Services: nothing outside of one imports it. */
const SERVICES = ['relayer', 'runner', 'keynodes', 'indexer', 'triggers', 'dashboard'];

/** The specifiers of static imports, exports from, and of `import()` and import types with a literal. */
function specifiersOf({ module, program }: Script): string[] {
  const found = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  for (const { entries } of module.staticExports)
    for (const { moduleRequest } of entries) if (moduleRequest) found.push(moduleRequest.value);
  new Visitor({
    ImportExpression({ source }) {
      if (source.type === 'Literal' && typeof source.value === 'string') found.push(source.value);
    },
    TSImportType({ source }) {
      found.push(source.value);
    },
  }).visit(program);
  return [...new Set(found)];
}

export type Import = { from: Script; specifier: string; target: Script | undefined };

/** Every import; `target` is the file of a relative one. */
export function importsOf({ scripts }: Pick<Checkout, 'scripts'>): Import[] {
  const byPath = new Map(scripts.map((script) => [script.path, script]));
  return scripts.flatMap((from) =>
    specifiersOf(from).map((specifier) => ({
      from,
      specifier,
      target: specifier.startsWith('.') ? byPath.get(join(dirname(from.path), specifier)) : undefined,
    })),
  );
}

/** Strongly connected components of more than one file (Tarjan), and files that import themselves. */
export function findCycles(imports: Import[]): Cycle[] {
  const edges = new Map<string, string[]>();
  for (const { from, target } of imports)
    if (target) edges.set(from.path, [...(edges.get(from.path) ?? []), target.path]);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: Cycle[] = [];
  const visit = (path: string): number => {
    const index = order.size;
    order.set(path, index);
    lowest.set(path, index);
    stack.push(path);
    for (const next of edges.get(path) ?? []) {
      const reached = order.has(next)
        ? stack.includes(next)
          ? (order.get(next) ?? index)
          : index
        : visit(next);
      lowest.set(path, Math.min(lowest.get(path) ?? index, reached));
    }
    if (lowest.get(path) === index) {
      const component = stack.splice(stack.indexOf(path));
      if (component.length > 1 || edges.get(path)?.includes(path)) cycles.push(component.sort());
    }
    return lowest.get(path) ?? index;
  };
  for (const path of edges.keys()) if (!order.has(path)) visit(path);
  return cycles.sort(([a = ''], [b = '']) => a.localeCompare(b));
}

/** The package of a bare specifier. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Imports of a package that package.json does not declare, and relative imports of another package's files. Tests may
 * import what the root package declares (vitest, fast-check); names such as `ponder:schema` are virtual modules.
 */
export function findUndeclared(imports: Import[], { manifests }: Pick<Checkout, 'manifests'>): string[] {
  const found: string[] = [];
  for (const { from, specifier, target } of imports) {
    if (target) {
      if (target.owner !== from.owner) found.push(`${from.path} imports ${target.path} by its path`);
    } else if (!/^\.|:/.test(specifier) && !isBuiltin(specifier)) {
      const owners = from.isTest ? [from.owner, ''] : [from.owner];
      const name = packageOf(specifier);
      if (!owners.some((owner) => declares(manifests.get(owner), name)))
        found.push(
          `${from.path} imports ${name}, which ${join(from.owner, 'package.json')} does not declare`,
        );
    }
  }
  return found;
}

function declares(manifest: Manifest | undefined, name: string): boolean {
  return manifest?.name === name || manifest?.dependencies.has(name) === true;
}

/** Imports by packages of anything but packages, all imports of a service, and all imports of another package's test/. */
export function findUpward(imports: Import[], { manifests }: Pick<Checkout, 'manifests'>): string[] {
  const folders = new Map([...manifests].map(([folder, { name }]) => [name, folder]));
  return imports.flatMap(({ from, specifier, target }) => {
    const to = target ? target.owner : folders.get(packageOf(specifier));
    if (to === undefined || to === from.owner) return [];
    const isUpward = from.owner.startsWith('packages/') && !to.startsWith('packages/');
    const isPrivate = SERVICES.includes(to) || /(^|\/)test\//.test(target?.path ?? '');
    return isUpward || isPrivate ? [`${from.path} imports ${target?.path ?? specifier}`] : [];
  });
}
