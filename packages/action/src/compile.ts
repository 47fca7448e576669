/** Makes the code of an action from a local file. */
import { readFile } from 'node:fs/promises';
import { build, transform } from 'esbuild';
import { parseSync } from 'oxc-parser';

/** The language of the processes of actions. */
const TARGET = 'es2024';

/**
 * Returns the code of a file. JavaScript without relative imports stays as it is, byte by byte. Types of TypeScript are removed.
 * Relative imports are bundled; imports of packages stay, because the service loads them. Rejects with esbuild's errors, which name
 * file, line and column.
 */
export async function compile(path: string): Promise<string> {
  const source = await readFile(path, 'utf8');
  if (hasRelativeImports(path, source)) return bundle(path);
  if (!/\.[cm]?ts$/.test(path)) return source;
  const { code } = await transform(source, {
    loader: 'ts',
    target: TARGET,
    sourcefile: path,
    charset: 'utf8',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code;
}

function hasRelativeImports(path: string, source: string): boolean {
  const { module } = parseSync(path, source);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value)),
  ];
  return specifiers.some((specifier) => specifier?.startsWith('.'));
}

async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    target: TARGET,
    charset: 'utf8',
    legalComments: 'none',
    // `main` need not be exported.
    treeShaking: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
