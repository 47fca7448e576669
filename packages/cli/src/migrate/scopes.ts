/** The names of a program: where each is declared, and which are global. */
import { type Program, visitorKeys } from 'oxc-parser';

/** A node of ESTree or TS-ESTree, by its fields. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** A declared name. */
type Binding = {
  id: Node;
  /** The declarator of a const. */
  declarator: Node | undefined;
};

type Scope = {
  parent: Scope | undefined;
  isFunction: boolean;
  /** The names inside can be members of an object (`with`). */
  isOpaque: boolean;
  /** Declarations inside describe the environment, and declare nothing. */
  isAmbient: boolean;
  bindings: Map<string, Binding>;
};

/** A use of a name. `global` is a name that the program does not declare. */
export type Reference = { node: Node; name: string; binding: Binding | 'global' | 'unknown' };

export type Analysis = {
  /** In the order of a walk from the outside. */
  nodes: Node[];
  references: Reference[];
  /** Whether the program declares the name in its outermost scope. */
  declares: (name: string) => boolean;
  parentOf: (node: Node) => { parent: Node; key: string };
};

type Walk = {
  nodes: Node[];
  found: { node: Node; scope: Scope }[];
  parents: Map<Node, { parent: Node; key: string }>;
  /** Identifiers that declare names. */
  ids: Set<Node>;
};

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const BLOCKS = new Set([
  ...['BlockStatement', 'ForStatement', 'ForInStatement', 'ForOfStatement', 'SwitchStatement', 'CatchClause'],
  ...['StaticBlock', 'ClassExpression', 'WithStatement', 'TSModuleDeclaration', 'TSModuleBlock'],
]);
/** Nodes of TypeScript that contain values. All others are types. */
const TS_VALUES = new Set([
  ...['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion'],
  ...['TSInstantiationExpression', 'TSEnumDeclaration', 'TSEnumBody', 'TSEnumMember', 'TSModuleDeclaration'],
  ...['TSModuleBlock', 'TSExportAssignment', 'TSParameterProperty', 'TSDeclareFunction'],
  ...['TSEmptyBodyFunctionExpression', 'TSAbstractAccessorProperty', 'TSAbstractMethodDefinition'],
  ...['TSAbstractPropertyDefinition', 'TSImportEqualsDeclaration', 'TSExternalModuleReference'],
]);

export const nodesOf = (value: unknown): Node[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item?.type === 'string');

/** Returns the identifiers that a pattern declares. */
function namesIn(pattern: Node): Node[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return nodesOf(pattern.properties).flatMap((property) =>
        namesIn((property.type === 'Property' ? property.value : property) as Node),
      );
    case 'ArrayPattern':
      return nodesOf(pattern.elements).flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left as Node);
    case 'RestElement':
      return namesIn(pattern.argument as Node);
    case 'TSParameterProperty':
      return namesIn(pattern.parameter as Node);
    default:
      return [];
  }
}

function functionScope(scope: Scope): Scope {
  let found = scope;
  while (!found.isFunction && found.parent) found = found.parent;
  return found;
}

function bind(walk: Walk, scope: Scope, patterns: readonly Node[], declarator?: Node): void {
  for (const id of patterns.flatMap(namesIn)) {
    walk.ids.add(id);
    if (!scope.bindings.has(id.name as string)) scope.bindings.set(id.name as string, { id, declarator });
  }
}

/** Declares the names that a node declares around itself. */
function declare(walk: Walk, node: Node, scope: Scope): void {
  if (node.declare === true || scope.isAmbient) return;
  switch (node.type) {
    case 'VariableDeclaration': {
      const target = node.kind === 'var' ? functionScope(scope) : scope;
      for (const declarator of nodesOf(node.declarations))
        bind(walk, target, [declarator.id as Node], node.kind === 'const' ? declarator : undefined);
      return;
    }
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      // In sloppy code, a function in a block is a variable of the function around it too.
      for (const target of [functionScope(scope), scope]) bind(walk, target, nodesOf(node.id));
      return;
    case 'ClassDeclaration':
    case 'TSEnumDeclaration':
    case 'TSModuleDeclaration':
    case 'TSImportEqualsDeclaration':
      bind(walk, scope, nodesOf(node.id));
      return;
    case 'ImportDeclaration':
      for (const { local } of nodesOf(node.specifiers)) bind(walk, scope, nodesOf(local));
  }
}

/** Returns the scope inside of a node, with the names that the node declares there. */
function enter(walk: Walk, node: Node, scope: Scope): Scope {
  const isFunction = FUNCTIONS.has(node.type);
  if (!isFunction && !BLOCKS.has(node.type)) return scope;
  const inner: Scope = {
    parent: scope,
    isFunction: isFunction || node.type === 'StaticBlock' || node.type === 'TSModuleBlock',
    isOpaque: node.type === 'WithStatement',
    isAmbient: scope.isAmbient || (node.type === 'TSModuleDeclaration' && node.declare === true),
    bindings: new Map(),
  };
  if (isFunction) bind(walk, inner, nodesOf(node.params));
  if (node.type === 'FunctionExpression' || node.type === 'ClassExpression')
    bind(walk, inner, nodesOf(node.id));
  if (node.type === 'CatchClause') bind(walk, inner, nodesOf(node.param));
  return inner;
}

/** Fields whose identifiers are names of members, labels or other modules. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  LabeledStatement: ['label'],
  BreakStatement: ['label'],
  ContinueStatement: ['label'],
  MetaProperty: ['meta', 'property'],
  ImportSpecifier: ['imported'],
  ImportAttribute: ['key'],
  ExportSpecifier: ['exported'],
  ExportAllDeclaration: ['exported'],
  TSEnumMember: ['id'],
  TSModuleDeclaration: ['id'],
};

function isUse(walk: Walk, node: Node, isType: boolean): boolean {
  const { parent, key } = walk.parents.get(node) as { parent: Node; key: string };
  if (isType) {
    if (parent.type === 'TSQualifiedName') return key === 'left' && isUse(walk, parent, true);
    return parent.type === 'TSTypeQuery';
  }
  if (NAMES[parent.type]?.includes(key)) return false;
  if (key === 'property' || key === 'key') return parent.computed === true;
  // Names of another module.
  if (parent.type === 'ExportSpecifier') return !walk.parents.get(parent)?.parent.source;
  return true;
}

function visit(walk: Walk, node: Node, scope: Scope, isInType: boolean): void {
  walk.nodes.push(node);
  const isType = isInType || (node.type.startsWith('TS') && !TS_VALUES.has(node.type));
  declare(walk, node, scope);
  const inner = enter(walk, node, scope);
  if (node.type === 'Identifier' && !walk.ids.has(node) && isUse(walk, node, isType))
    walk.found.push({ node, scope });
  for (const key of visitorKeys[node.type] ?? [])
    for (const child of nodesOf(node[key])) {
      walk.parents.set(child, { parent: node, key });
      visit(walk, child, inner, isType);
    }
}

function resolve(name: string, from: Scope): Reference['binding'] {
  for (let scope: Scope | undefined = from; scope; scope = scope.parent) {
    const binding = scope.bindings.get(name);
    if (binding) return binding;
    if (scope.isOpaque) return 'unknown';
  }
  return 'global';
}

export function analyse(program: Program): Analysis {
  const walk: Walk = { nodes: [], found: [], parents: new Map(), ids: new Set() };
  const outermost: Scope = {
    parent: undefined,
    isFunction: true,
    isOpaque: false,
    isAmbient: false,
    bindings: new Map(),
  };
  visit(walk, program as unknown as Node, outermost, false);
  return {
    nodes: walk.nodes,
    references: walk.found
      // A declaration can follow its use.
      .filter(({ node }) => !walk.ids.has(node))
      .map(({ node, scope }) => ({
        node,
        name: node.name as string,
        binding: resolve(node.name as string, scope),
      })),
    declares: (name) => outermost.bindings.has(name),
    parentOf: (node) => walk.parents.get(node) ?? { parent: node, key: '' },
  };
}
