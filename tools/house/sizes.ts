/** Files and functions that are longer than the style guide's sizes. */
import { type Node, Visitor } from 'oxc-parser';
import { lineAt, type Script } from './sources.ts';

export type Oversize = { path: string; name: string; lines: number; limit: number };

const LINES = { route: 60, module: 300, function: 60, test: 300 };

export function findOversize(script: Script): Oversize[] {
  const { path, text, program } = script;
  // A file that routes share is a module like any other.
  const isRoute = /\/routes\//.test(path) && /^export const \w+ = define\w+\(/m.test(text) && !script.isTest;
  const limit = LINES[script.isTest ? 'test' : isRoute ? 'route' : 'module'];
  const sizes: Oversize[] = [{ path, name: path, lines: text.split('\n').length - 1, limit }];
  const add = (name: string, { start, end }: { start: number; end: number }): void => {
    const [first, last] = [lineAt(text, start), lineAt(text, end)];
    sizes.push({ path, name: `${path}:${first} ${name}`, lines: last - first + 1, limit: LINES.function });
  };
  if (!script.isTest)
    new Visitor({
      FunctionDeclaration(node) {
        if (node.body) add(node.id?.name ?? 'default', node);
      },
      VariableDeclarator({ id, init }) {
        if (init && isFunction(init)) add(id.type === 'Identifier' ? id.name : 'function', init);
      },
      MethodDefinition({ key, value }) {
        add(key.type === 'Identifier' ? key.name : 'method', value);
      },
    }).visit(program);
  return sizes.filter(({ lines, limit }) => lines > limit);
}

/** Functions and files of product code over the limits of `--check`, which has no limit of its own for routes. */
export function findOverLimits(sources: Script[]): { functions: Oversize[]; files: Oversize[] } {
  const found = sources.flatMap(findOversize);
  return {
    functions: found.filter(({ name, path }) => name !== path),
    files: found.filter(({ name, path, lines }) => name === path && lines > LINES.module),
  };
}

export function describeSize({ name, lines, limit }: Oversize): string {
  return `${name}: ${lines} of ${limit} lines`;
}

function isFunction({ type }: Node): boolean {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
}
