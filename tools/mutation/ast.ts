/** Syntax trees of solc. */

/** A node of solc's syntax tree, with the fields that mutants use. */
export interface Node {
  nodeType: string;
  /** `start:length:file`, in bytes. */
  src: string;
  id?: number;
  name?: string;
  kind?: string;
  operator?: string;
  prefix?: boolean;
  constant?: boolean;
  contractKind?: string;
  abstract?: boolean;
  stateMutability?: string;
  referencedDeclaration?: number;
  typeDescriptions?: { typeString?: string };
  commonType?: { typeString?: string };
  /** The text of a literal, the value of a constant, the value of a variable in assembly. */
  value?: Node | string | null;
  condition?: Node;
  expression?: Node | null;
  subExpression?: Node;
  leftExpression?: Node;
  rightExpression?: Node;
  leftHandSide?: Node;
  rightHandSide?: Node;
  trueExpression?: Node;
  falseExpression?: Node;
  initialValue?: Node | null;
  declarations?: (Node | null)[];
  variables?: Node[];
  arguments?: Node[];
  functionName?: Node;
  parameters?: Node;
  returnParameters?: Node;
  body?: Node | null;
  trueBody?: Node;
  falseBody?: Node | null;
  statements?: Node[];
  absolutePath?: string;
  /** The tree of inline assembly. */
  AST?: Node;
  externalReferences?: { declaration: number; src: string }[];
}

/** The syntax trees of a project by file, and the sources that their offsets refer to: text whose indices are bytes. */
export interface Trees {
  asts: Record<string, Node>;
  sources: Record<string, string>;
}

export function range(node: Pick<Node, 'src'>): [start: number, end: number] {
  const [start = 0, length = 0] = node.src.split(':').map(Number);
  return [start, start + length];
}

export function lineOf(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}

export function children(node: Node): Node[] {
  const isNode = (value: unknown): value is Node =>
    typeof value === 'object' && value !== null && 'nodeType' in value;
  return Object.values(node)
    .flat()
    .filter(isNode)
    .sort((a, b) => range(a)[0] - range(b)[0]);
}

/** Opcodes that can run twice: they only read state and memory. */
const pureOpcodes = new Set([
  ...['add', 'sub', 'mul', 'div', 'mod', 'and', 'or', 'xor', 'shl', 'shr', 'lt', 'gt', 'eq'],
  ...['not', 'iszero', 'byte', 'addmod', 'mulmod', 'slt', 'sgt', 'sar', 'signextend', 'clz', 'exp'],
  ...['mload', 'sload', 'tload', 'keccak256', 'calldataload', 'calldatasize', 'returndatasize'],
  ...['caller', 'address', 'timestamp', 'gas', 'extcodesize', 'callvalue', 'codesize'],
]);

/** Returns true for an assembly expression without effects. */
export function isPure(node: Node): boolean {
  if (node.nodeType !== 'YulFunctionCall') return true;
  return pureOpcodes.has(node.functionName?.name ?? '') && (node.arguments as Node[]).every(isPure);
}

/** Returns text on one line, as used in ids. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Numbers repeated ids: the second one gets `#2`. */
export function numbered<T extends { id: string }>(items: T[]): T[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const n = (seen.get(item.id) ?? 0) + 1;
    seen.set(item.id, n);
    return n === 1 ? item : { ...item, id: `${item.id} #${n}` };
  });
}

/** Returns the direct children of a source unit or contract. */
export function nodesOf(node: Node | undefined): Node[] {
  return (node as (Node & { nodes?: Node[] }) | undefined)?.nodes ?? [];
}
