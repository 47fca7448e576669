/** Code that occurs in two packages: runs of equal tokens, regardless of layout, comments and imports. */
import { blank, type Script } from './sources.ts';

/** About five lines. */
const MIN_TOKENS = 40;
const TOKEN = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[\w$]+|[^\s\w$]/g;

type Token = { text: string; line: number };

/** A run of equal tokens in files of two packages. */
export type Duplicate = { left: string; right: string; tokens: number };

function tokensOf({ text, comments, module }: Script): Token[] {
  const code = blank(text, [...comments, ...module.staticImports]);
  let line = 1;
  let at = 0;
  return [...code.matchAll(TOKEN)].map((match) => {
    line += code.slice(at, match.index).split('\n').length - 1;
    at = match.index;
    return { text: match[0], line };
  });
}

type Place = { file: number; at: number };

/** The longest runs, of at least `minTokens`, that files of different packages have in common. */
export function findDuplicates(scripts: Script[], minTokens = MIN_TOKENS): Duplicate[] {
  const files = scripts.map((script) => ({ script, tokens: tokensOf(script) }));
  const starts = new Map<string, Place[]>();
  const found: Duplicate[] = [];
  for (const [file, { script, tokens }] of files.entries()) {
    /** By the other file: index after the last token of this file that is in a found run. */
    const covered = new Map<number, number>();
    const own: [string, Place][] = [];
    for (let at = 0; at + minTokens <= tokens.length; at++) {
      const key = keyOf(tokens, at, minTokens);
      for (const place of starts.get(key) ?? []) {
        const other = files[place.file];
        if (!other || other.script.owner === script.owner || at < (covered.get(place.file) ?? 0)) continue;
        const length = commonLength(tokens, at, other.tokens, place.at);
        covered.set(place.file, at + length);
        found.push({
          left: `${other.script.path}:${other.tokens[place.at]?.line}`,
          right: `${script.path}:${tokens[at]?.line}`,
          tokens: length,
        });
      }
      own.push([key, { file, at }]);
    }
    for (const [key, place] of own) starts.set(key, [...(starts.get(key) ?? []), place]);
  }
  return found.sort((a, b) => b.tokens - a.tokens);
}

function keyOf(tokens: Token[], at: number, length: number): string {
  return tokens
    .slice(at, at + length)
    .map(({ text }) => text)
    .join('\n');
}

function commonLength(left: Token[], leftAt: number, right: Token[], rightAt: number): number {
  let length = 0;
  while (left[leftAt + length] && left[leftAt + length]?.text === right[rightAt + length]?.text) length++;
  return length;
}

/** Names of module-level functions that two packages or more declare. */
export function findTwins(scripts: Script[]): string[] {
  const declared = new Map<string, Script[]>();
  for (const script of scripts)
    for (const statement of script.program.body) {
      const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
      if (declaration?.type === 'FunctionDeclaration' && declaration.id)
        declared.set(declaration.id.name, [...(declared.get(declaration.id.name) ?? []), script]);
    }
  return [...declared]
    .filter(([, places]) => new Set(places.map(({ owner }) => owner)).size > 1)
    .map(([name, places]) => `${name}: ${places.map(({ path }) => path).join(', ')}`);
}
