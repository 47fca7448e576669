/** The names of a program: where each is declared, and which are global. */
import {
  analyze,
  type Definition,
  DefinitionType,
  type Reference as Found,
  type Scope,
  ScopeType,
} from '@typescript-eslint/scope-manager';
import { type Program, visitorKeys } from 'oxc-parser';

/** A node of TS-ESTree, by its fields. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** A declared name. */
type Binding = {
  id: Node;
  /** The declarator of a const. */
  declarator: Node | undefined;
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

export const nodesOf = (value: unknown): Node[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item?.type === 'string');

/** The nodes of the parser, which the types of the scopes describe by their kinds. */
const own = (node: unknown): Node => node as Node;

/** Whether a name that is used in one scope and declared in another can be a member of an object between them (`with`). */
const isOpaque = (from: Scope | null, to: Scope | undefined): boolean =>
  from !== null && from !== to && (from.type === ScopeType.with || isOpaque(from.upper, to));

export function analyse(program: Program): Analysis {
  const nodes: Node[] = [];
  const parents = new Map<Node, { parent: Node; key: string }>();
  const visit = (node: Node): void => {
    nodes.push(node);
    node.range = [node.start, node.end];
    for (const key of visitorKeys[node.type] ?? [])
      for (const child of nodesOf(node[key])) {
        parents.set(child, { parent: node, key });
        visit(child);
      }
  };
  visit(own(program));
  const parentOf = (node: Node) => parents.get(node) ?? { parent: node, key: '' };
  const { scopes } = analyze(own(program) as never, {
    sourceType: 'module',
    lib: [],
    childVisitorKeys: visitorKeys,
  });
  const { bindings, ambient, bindingOf } = readDefinitions(scopes, parentOf);
  const uses = scopes
    .flatMap(({ references }) => references)
    .filter(({ isValueReference, identifier }) => isValueReference && !bindings.has(own(identifier)))
    .map((found): [Node, Reference['binding']] => [own(found.identifier), bindingOf(found)]);
  // The same name can be written twice at one place, by its value and by its default.
  const references = new Map([...ambient.map((id): [Node, 'global'] => [id, 'global']), ...uses]);
  const [, outermost] = scopes;
  return {
    nodes,
    references: [...references].map(([node, binding]) => ({ node, name: String(node.name), binding })),
    declares: (name) => (outermost?.set.get(name)?.defs ?? []).some((found) => bindings.has(own(found.name))),
    parentOf,
  };
}

function readDefinitions(scopes: readonly Scope[], parentOf: Analysis['parentOf']) {
  const bindings = new Map<Node, Binding>();
  const ambient: Node[] = [];
  /** In sloppy code, a function in a block is a variable of the function around it too. */
  const hoisted = new Map<Scope, Map<string, Node>>();
  /** Declarations inside describe the environment, and declare nothing. */
  const isAmbient = (node: Node): boolean =>
    node.declare === true || (parentOf(node).parent !== node && isAmbient(parentOf(node).parent));
  const add = (scope: Scope, { name, node, type }: Definition): void => {
    const [id, declaration] = [own(name), own(node)];
    if (isAmbient(declaration)) {
      // A type, and a parameter of a function type, is not a value.
      if (type !== DefinitionType.Type && type !== DefinitionType.Parameter) ambient.push(id);
      return;
    }
    const isConst =
      declaration.type === 'VariableDeclarator' && parentOf(declaration).parent.kind === 'const';
    bindings.set(id, { id, declarator: isConst ? declaration : undefined });
    if (declaration.type !== 'FunctionDeclaration') return;
    const names = hoisted.get(scope.variableScope) ?? new Map();
    hoisted.set(scope.variableScope, names.set(String(id.name), id));
  };
  for (const scope of scopes)
    for (const { defs } of scope.variables) for (const definition of defs) add(scope, definition);
  const bindingOf = ({ resolved, from, identifier }: Found): Reference['binding'] => {
    const declared = resolved?.defs.map(({ name }) => own(name)).find((id) => bindings.has(id));
    if (isOpaque(from, declared && resolved?.scope)) return 'unknown';
    if (declared) return bindings.get(declared) as Binding;
    for (let scope: Scope | null = from; scope; scope = scope.upper) {
      const id = hoisted.get(scope)?.get(String(identifier.name));
      if (id) return bindings.get(id) as Binding;
    }
    return 'global';
  };
  return { bindings, ambient, bindingOf };
}
