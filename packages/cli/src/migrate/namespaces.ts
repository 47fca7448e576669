/** Uses of `Lit` and `Lit.Actions`: through members, constants and patterns. */
import { entry, FUNCTIONS, GLOBALS, OLD_FUNCTIONS, OLD_GLOBALS } from './names.ts';
import type { Edit, Note } from './places.ts';
import { type Analysis, type Node, nodesOf, type Reference } from './scopes.ts';

type Namespace = 'root' | 'actions';

type Finder = Pick<Analysis, 'parentOf'> & {
  source: string;
  bindings: ReadonlyMap<Node, Reference['binding']>;
  /** Globals that the program sets: they are objects of its own. */
  assigned: ReadonlySet<string>;
  edits: Edit[];
  notes: Note[];
};

const GLOBAL_OBJECTS = new Set(['globalThis', 'self', 'global', 'window']);
/** Expressions with the value of the expression in them. */
const WRAPPERS = new Set([
  ...['ChainExpression', 'ParenthesizedExpression', 'TSNonNullExpression', 'TSAsExpression'],
  ...['TSSatisfiesExpression', 'TSTypeAssertion'],
]);
/** Nodes in which the object is not passed on. */
const DEAD_ENDS = new Set([
  ...['UnaryExpression', 'IfStatement', 'ExpressionStatement', 'VariableDeclarator', 'TSTypeQuery'],
]);

const UNKNOWN = 'there is no such name: docs/actions.md has the functions';
const PASSED_ON = 'the object is passed on: change the names that are used through it';
const COMPUTED = 'the name is computed: change the names that it can have';

type Name = { name: string; start: number; end: number };

/** Returns the name of a member or a property with its place, or undefined for a name that is computed. */
function nameIn(node: Node, field: 'property' | 'key', source: string): Name | undefined {
  const { type, name, value, start, end } = node[field] as Node;
  if (node.computed !== true && type === 'Identifier') return { name: name as string, start, end };
  if (type !== 'Literal' || typeof value !== 'string') return undefined;
  return source.slice(start + 1, end - 1) === value
    ? { name: value, start: start + 1, end: end - 1 }
    : undefined;
}

/** Returns the name of a global: of itself, or as a member of the global object. */
function globalName({ bindings, source }: Finder, node: Node): string | undefined {
  if (node.type === 'Identifier') return bindings.get(node) === 'global' ? (node.name as string) : undefined;
  if (node.type !== 'MemberExpression') return undefined;
  const object = node.object as Node;
  const isMember = bindings.get(object) === 'global' && GLOBAL_OBJECTS.has(object.name as string);
  return isMember ? nameIn(node, 'property', source)?.name : undefined;
}

/** Returns the namespace that a constant has. */
function namespaceOfConstant(finder: Finder, node: Node, depth: number): Namespace | undefined {
  const binding = finder.bindings.get(node);
  if (typeof binding !== 'object' || !binding.declarator) return undefined;
  const { id, init } = binding.declarator as { id: Node; init: Node | null } & Node;
  const whole = namespaceOf(finder, init ?? undefined, depth + 1);
  if (id === binding.id) return whole;
  const isActions = nodesOf(id.properties).some(
    (property) => property.value === binding.id && nameIn(property, 'key', finder.source)?.name === 'Actions',
  );
  return whole === 'root' && isActions ? 'actions' : undefined;
}

function namespaceOf(finder: Finder, node: Node | undefined, depth = 0): Namespace | undefined {
  // A constant can refer to itself.
  if (!node || depth > 100) return undefined;
  if (WRAPPERS.has(node.type)) return namespaceOf(finder, node.expression as Node, depth + 1);
  const name = globalName(finder, node);
  if (name !== undefined) {
    if (finder.assigned.has(name)) return undefined;
    return name === 'Lit' ? 'root' : name === 'LitActions' ? 'actions' : undefined;
  }
  if (node.type !== 'MemberExpression') return namespaceOfConstant(finder, node, depth);
  const isActions = nameIn(node, 'property', finder.source)?.name === 'Actions';
  return isActions && namespaceOf(finder, node.object as Node, depth + 1) === 'root' ? 'actions' : undefined;
}

/** Adds the edit of a name of `Lit.Actions`. Returns false for one that has no equal, with a note. */
function useFunction({ notes }: Finder, { name, start, end }: Name, own: Edit[], isShort = false): boolean {
  const renamed = entry(FUNCTIONS, name);
  if (renamed === undefined) {
    notes.push({ start, name, reason: entry(OLD_FUNCTIONS, name) ?? UNKNOWN });
    return false;
  }
  if (renamed !== name)
    own.push(isShort ? { start, end: start, text: `${renamed}: ` } : { start, end, text: renamed });
  return true;
}

/** Follows a pattern. Returns false when a name in it has no equal. */
function destructure(finder: Finder, pattern: Node, namespace: Namespace, own: Edit[]): boolean {
  const { source, notes } = finder;
  let isWhole = true;
  for (const property of nodesOf(pattern.properties)) {
    const found = property.type === 'Property' ? nameIn(property, 'key', source) : undefined;
    const value = property.value as Node;
    if (!found)
      notes.push({
        start: property.start,
        name: source.slice(property.start, property.end),
        reason: PASSED_ON,
      });
    else if (namespace === 'actions')
      isWhole = useFunction(finder, found, own, property.shorthand === true) && isWhole;
    else if (found.name !== 'Actions') {
      notes.push({ ...found, reason: entry(OLD_GLOBALS, found.name) ?? UNKNOWN });
      isWhole = false;
    } else if (value.type === 'ObjectPattern')
      isWhole = destructure(finder, value, 'actions', own) && isWhole;
  }
  return isWhole;
}

/** Follows a member of a namespace. Returns false when its name has no equal. */
function useMember(finder: Finder, member: Node, namespace: Namespace, own: Edit[]): boolean {
  const found = nameIn(member, 'property', finder.source);
  if (!found) {
    const { start, end } = member.property as Node;
    finder.notes.push({ start, name: finder.source.slice(start, end), reason: COMPUTED });
    return true;
  }
  if (namespace === 'actions') return useFunction(finder, found, own);
  const reason = entry(OLD_GLOBALS, found.name) ?? UNKNOWN;
  finder.notes.push({ start: found.start, name: `Lit.${found.name}`, reason });
  return false;
}

/** Returns the outermost expression with the value of a node. */
function unwrapped(finder: Finder, node: Node): Node {
  const { parent, key } = finder.parentOf(node);
  return WRAPPERS.has(parent.type) && key === 'expression' ? unwrapped(finder, parent) : node;
}

/** Follows a value that is `Lit` or `Lit.Actions`. Returns false when a name in it has no equal. */
function follow(finder: Finder, inner: Node, namespace: Namespace, own: Edit[]): boolean {
  const { source, notes, parentOf } = finder;
  const node = unwrapped(finder, inner);
  const { parent, key } = parentOf(node);
  const pass = (name: string): boolean => {
    notes.push({ start: node.start, name, reason: PASSED_ON });
    return true;
  };
  if (parent.type === 'MemberExpression' && key === 'object') {
    const isActions = namespace === 'root' && nameIn(parent, 'property', source)?.name === 'Actions';
    return isActions ? follow(finder, parent, 'actions', own) : useMember(finder, parent, namespace, own);
  }
  if (parent.type !== 'VariableDeclarator' || key !== 'init')
    return DEAD_ENDS.has(parent.type) || pass(source.slice(node.start, node.end));
  const id = parent.id as Node;
  if (id.type === 'ObjectPattern') return destructure(finder, id, namespace, own);
  return parentOf(parent).parent.kind === 'const' || pass(id.name as string);
}

/** Returns the edit of the name of a global. */
function rename({ source, parentOf }: Finder, node: Node, name: string): Edit {
  const text = entry(GLOBALS, name) ?? name;
  if (node.type === 'MemberExpression') return { ...(nameIn(node, 'property', source) ?? node), text };
  const { parent } = parentOf(node);
  const isShort = parent.type === 'Property' && parent.shorthand === true;
  return { start: node.start, end: node.start + name.length, text: isShort ? `${name}: ${text}` : text };
}

/** Returns the edits of all uses in a program, and the places that stay as they are. */
export function findUses(source: string, { nodes, references, parentOf }: Analysis) {
  const isAssigned = ({ node }: Reference): boolean => {
    const { parent, key } = parentOf(node);
    return parent.type === 'AssignmentExpression' && key === 'left';
  };
  const finder: Finder = {
    source,
    parentOf,
    bindings: new Map(references.map(({ node, binding }) => [node, binding])),
    assigned: new Set(references.filter(isAssigned).map(({ name }) => name)),
    edits: [],
    notes: [],
  };
  for (const node of nodes) {
    const name = globalName(finder, node);
    const isUse = name !== undefined || finder.bindings.has(node);
    const namespace = isUse ? namespaceOf(finder, node) : undefined;
    if (!namespace) continue;
    const own = name === undefined ? [] : [rename(finder, node, name)];
    if (follow(finder, node, namespace, own)) finder.edits.push(...own);
  }
  return { edits: finder.edits, notes: finder.notes };
}
