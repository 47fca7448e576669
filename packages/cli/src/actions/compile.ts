/** Makes the code of an action from a local file. */
import { readFile } from 'node:fs/promises';
import { build, type Metafile, transform } from 'esbuild';
import { type EcmaScriptModule, type ExportNamedDeclaration, parseSync, type Statement } from 'oxc-parser';

/** The language of the processes of actions. */
const TARGET = 'es2024';

/**
 * Returns the code of a file. JavaScript without relative imports stays as it is, byte by byte. Types of TypeScript are removed.
 * Relative imports are bundled; imports of packages stay, because the service loads them. Rejects with esbuild's errors, which name
 * file, line and column, and for an imported file whose `main` would take the place of the file's own.
 */
export async function compile(path: string): Promise<string> {
  const source = await readFile(path, 'utf8');
  return (await compileSource(path, source)) ?? bundle(path);
}

/** Returns the code of a source, or undefined when other files belong to it. */
export async function compileSource(path: string, source: string): Promise<string | undefined> {
  if (hasRelativeImports(path, source)) return undefined;
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
    // Expressions: a text has its quotes.
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
      source.slice(start, end).replace(/^["'`]/, ''),
    ),
  ];
  return specifiers.some((specifier) => specifier?.startsWith('.'));
}

async function bundle(path: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    metafile: true,
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
  await refuseOtherMain(path, metafile);
  return outputFiles[0]?.text ?? '';
}

/** A bundle is one scope: esbuild renames the `main` of the file when an imported file declares one too. */
async function refuseOtherMain(path: string, { inputs, outputs }: Metafile): Promise<void> {
  const { program, module } = parseSync(path, await readFile(path, 'utf8'));
  if (takesMain(module) && !program.body.some(declaresMain)) return;
  for (const output of Object.values(outputs))
    for (const file of Object.keys(output.inputs)) {
      if (file === output.entryPoint || inputs[file]?.format === 'cjs' || !/\.[cm]?[jt]sx?$/.test(file))
        continue;
      const { program } = parseSync(file, await readFile(file, 'utf8'));
      if (program.body.some(declaresMain))
        throw new Error(`${file} declares main, which only ${path} can declare: rename it in ${file}`);
    }
}

/** Returns true for a file whose `main` comes from an imported file. */
function takesMain({ staticImports, staticExports }: EcmaScriptModule): boolean {
  return (
    staticImports.some(({ entries }) => entries.some(({ localName }) => localName.value === 'main')) ||
    staticExports.some(({ entries }) =>
      entries.some(
        ({ moduleRequest, exportName }) => moduleRequest && (exportName.name ?? 'main') === 'main',
      ),
    )
  );
}

type Declaration = Statement | ExportNamedDeclaration['declaration'];

function declaresMain(statement: Declaration): boolean {
  switch (statement?.type) {
    case 'ExportNamedDeclaration':
      return declaresMain(statement.declaration);
    case 'ExportDefaultDeclaration':
      return 'id' in statement.declaration && statement.declaration.id?.name === 'main';
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return statement.id?.name === 'main';
    case 'VariableDeclaration':
      return statement.declarations.some(({ id }) => id.type === 'Identifier' && id.name === 'main');
    default:
      return false;
  }
}
