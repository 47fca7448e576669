/**
 * Dependencies that a package does not use, and exports that no other file uses. A name in a text, a command or a setting counts as a use;
 * knip would need a list of entries or a plugin for each.
 */
import { type Import, packageOf } from './imports.ts';
import { blank, type Checkout } from './sources.ts';

/** drizzle-kit and Ponder read every export of these. */
const SCHEMA = /(^|[./])schema\.ts$/;

/**
 * Dependencies of packages that no import, string, command or setting of the package names. The types of a used package and the
 * peers of a dependency count as used. The root package declares what the shell and Solidity use, and is not searched.
 */
export function findUnusedDependencies(
  imports: Import[],
  { scripts, manifests, peers }: Pick<Checkout, 'scripts' | 'manifests' | 'peers'>,
): string[] {
  const texts = new Map<string, string[]>();
  for (const script of scripts)
    texts.set(script.owner, [...(texts.get(script.owner) ?? []), blank(script.text, script.comments)]);
  return [...manifests].flatMap(([folder, { dependencies, optional, settings }]) => {
    if (folder === '') return [];
    const imported = new Set(
      imports
        .filter(({ from, target }) => from.owner === folder && !target)
        .map(({ specifier }) => packageOf(specifier)),
    );
    const needed = new Set([...dependencies].flatMap((name) => peers.get(name) ?? []));
    const named = [...(texts.get(folder) ?? []), settings].join('\n');
    const isUsed = (name: string): boolean =>
      imported.has(name) || needed.has(name) || wordOf(name).test(named);
    return [...dependencies]
      .filter((name) => !optional.has(name) && !isUsed(typedPackage(name)))
      .map((name) => `${folder}/package.json: ${name}`);
  });
}

/** The package that a package of types describes; any other name as it is. */
function typedPackage(name: string): string {
  const typed = /^@types\/(?:(.+)__)?(.+)$/.exec(name);
  if (!typed) return name;
  const [, scope, base = ''] = typed;
  return scope === undefined ? base : `@${scope}/${base}`;
}

function wordOf(name: string): RegExp {
  return new RegExp(`(?<![\\w@/.-])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`);
}

/**
 * Exported functions, constants and classes whose name no other file has, outside of comments and of `export … from`. Published packages
 * are not searched.
 */
export function findUnusedExports({ scripts, manifests }: Pick<Checkout, 'scripts' | 'manifests'>): string[] {
  const files = new Map<string, number>();
  for (const { text, comments, module } of scripts) {
    const passedOn = module.staticExports.filter(({ entries }) =>
      entries.every((entry) => entry.moduleRequest),
    );
    for (const word of new Set(blank(text, [...comments, ...passedOn]).match(/[\w$]+/g)))
      files.set(word, (files.get(word) ?? 0) + 1);
  }
  return scripts.flatMap(({ path, owner, module }) =>
    SCHEMA.test(path) || manifests.get(owner)?.isPublished
      ? []
      : module.staticExports
          .flatMap(({ entries }) => entries)
          .filter(({ isType, moduleRequest }) => !isType && !moduleRequest)
          .flatMap(({ exportName: { name } }) => (name !== null && files.get(name) === 1 ? [name] : []))
          .map((name) => `${path}: ${name}`),
  );
}
