/** Rewrites the source of a program that was written for Lit Protocol's API v3. */
import { type ParseResult, parseSync } from 'oxc-parser';
import { CLIENT_FUNCTIONS, entry, OLD_GLOBALS } from './names.ts';
import { findUses } from './namespaces.ts';
import { type At, applyEdits, createLocator, type Note } from './places.ts';
import { type Analysis, analyse, type Node, type Reference } from './scopes.ts';
import { findTexts } from './texts.ts';

export type Rewritten = {
  code: string;
  /** Whether it is the code of an action. */
  isAction: boolean;
  changes: (At & { from: string; to: string })[];
  /** Places that a person must change. */
  notes: (At & { name: string; reason: string })[];
};

/** The source does not parse. */
export class ParseError extends Error {}

const ACTION_GLOBALS = new Set(['Lit', 'LitActions', 'Svc', 'SvcActions']);
/** Globals of actions that Node does not have. */
const KNOWN_GLOBALS = new Set([
  ...ACTION_GLOBALS,
  ...['ethers', 'self', 'global', 'arguments', 'window', 'LitAuth', 'LitHeaders', 'LitTest', 'jwt'],
]);
/** Globals of Node and Deno that actions do not have. */
const HOST_GLOBALS = new Set([
  ...['process', 'require', 'module', 'exports', 'Deno', 'setImmediate', 'clearImmediate', 'MessageChannel'],
  ...['__dirname', '__filename', 'navigator', 'WebSocket', 'SharedArrayBuffer', 'Atomics'],
]);

function parse(path: string, source: string): ParseResult {
  const parsed = parseSync(path, source, { astType: 'ts' });
  if (parsed.errors.length === 0) return parsed;
  // Actions can be sloppy scripts, and other files CommonJS.
  const script = parseSync(path, source, { astType: 'ts', sourceType: 'commonjs' });
  if (script.errors.length === 0) return script;
  const [error] = parsed.errors;
  const { line, column } = createLocator(source)(error?.labels[0]?.start ?? 0);
  throw new ParseError(`${line}:${column}: ${error?.message ?? 'does not parse'}`);
}

/** Names that the environment of actions does not have. */
function freeNames(references: readonly Reference[], { parentOf }: Analysis): Note[] {
  // An assignment makes a global in sloppy code.
  const seen = new Set(
    references.filter(({ node }) => parentOf(node).key === 'left').map(({ name }) => name),
  );
  return references.flatMap(({ node, name, binding }) => {
    const isTested = parentOf(node).parent.operator === 'typeof';
    if (binding !== 'global' || seen.has(name) || isTested || KNOWN_GLOBALS.has(name)) return [];
    if (!HOST_GLOBALS.has(name) && name in globalThis) return [];
    seen.add(name);
    const reason = HOST_GLOBALS.has(name)
      ? 'actions have no such global'
      : 'it is not declared: parameters of a run are those of main(params)';
    return [{ start: node.start, name, reason }];
  });
}

/** Whether a node sets or exports `main`. */
function makesMain(node: Node, key: string): boolean {
  const named = (node.property ?? node.exported ?? node) as Node;
  if (node.type === 'ExportSpecifier') return named.name === 'main';
  if (node.type === 'ExportDefaultDeclaration') return true;
  return key === 'left' && /^(?:Identifier|MemberExpression)$/.test(node.type) && named.name === 'main';
}

/** Returns the places of rules for whole programs: actions have `main`, and clients call functions with other parameters. */
function findOthers(analysis: Analysis, isAction: boolean, isClient: boolean): Note[] {
  const { nodes, references, declares, parentOf } = analysis;
  const notes = references
    .filter(({ name, binding }) => binding === 'global' && (isAction || name.startsWith('Lit')))
    .filter(({ name }) => name !== 'Auth' && entry(OLD_GLOBALS, name) !== undefined)
    .map(({ node, name }): Note => ({ start: node.start, name, reason: OLD_GLOBALS[name] ?? '' }));
  if (isClient)
    for (const node of nodes) {
      const member = node.callee as Node | undefined;
      const { name, start } = (member?.property ?? node) as { name?: string; start: number };
      const reason = name === undefined ? undefined : entry(CLIENT_FUNCTIONS, name);
      const isCall =
        node.type === 'CallExpression' && member?.type === 'MemberExpression' && !member.computed;
      if (isCall && name !== undefined && reason !== undefined)
        notes.push({ start, name, reason: `in @latchkey/sdk: ${reason}` });
    }
  if (!isAction) return notes;
  if (!declares('main') && !nodes.some((node) => makesMain(node, parentOf(node).key)))
    notes.push({ start: 0, name: 'main', reason: 'the service calls main(params): put the code into it' });
  return [...notes, ...freeNames(references, analysis)];
}

/** Returns the rewritten source. Its format and comments stay. Throws a `ParseError`. */
export function rewrite(path: string, source: string): Rewritten {
  const { program } = parse(path, source);
  const analysis = analyse(program);
  const uses = findUses(source, analysis);
  const texts = findTexts(source, analysis);
  const isAction =
    uses.edits.length > 0 ||
    analysis.references.some(({ name, binding }) => binding === 'global' && ACTION_GLOBALS.has(name));
  const others = findOthers(analysis, isAction, texts.isClient);
  const edits = [...uses.edits, ...texts.edits].sort((a, b) => a.start - b.start);
  const notes = [...uses.notes, ...texts.notes, ...others].sort((a, b) => a.start - b.start);
  const locate = createLocator(source);
  return {
    code: applyEdits(source, edits),
    isAction,
    changes: edits.map(({ start, end, text }) => ({
      ...locate(start),
      from: source.slice(start, end),
      to: text,
    })),
    notes: notes.map(({ start, name, reason }) => ({ ...locate(start), name, reason })),
  };
}
