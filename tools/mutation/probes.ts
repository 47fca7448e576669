/** Places that coverage probes: a fault at the end of each block and on both branches of each condition. */
import { children, flat, isPure, lineOf, type Node, numbered, range, type Trees } from './ast.ts';
import { instrumented, type TextEdit } from './switches.ts';

/** A place that is covered when a test notices a revert there. */
export interface Probe {
  /** Identifies the probe without line numbers: `file function: kind: text`. */
  id: string;
  file: string;
  function: string;
  line: number;
  kind: 'end of block' | 'true' | 'false';
  /** The first lines of the statements that have run when this place is reached. */
  lines: number[];
}

const conditional = new Set(['IfStatement', 'WhileStatement', 'ForStatement', 'Conditional']);

/**
 * Returns every probe, numbered from 1 by its position in the list, and the sources in which the number activates it.
 */
export function findProbes(trees: Trees): { probes: Probe[]; switched: Record<string, string> } {
  const probes: Probe[] = [];
  const opening: TextEdit[] = [];
  const closing: TextEdit[] = [];
  let [file, source, name] = ['', '', ''];

  const add = (kind: Probe['kind'], node: Node, ran: Node[]): number => {
    const id = `${file.slice('contracts/'.length)} ${name}: ${kind}: ${flat(source.slice(...range(node)))}`;
    const lines = ran.map((statement) => lineOf(source, range(statement)[0]));
    return probes.push({ id, file, function: name, line: lineOf(source, range(node)[0]), kind, lines });
  };
  const insert = (into: TextEdit[], at: number, text: string) =>
    into.push({ file, start: at, end: at, text });

  const visit = (node: Node) => {
    if (node.nodeType === 'ContractDefinition' && node.contractKind === 'interface') return;
    if (node.nodeType === 'FunctionDefinition') name = node.name || node.kind || '';
    const statements = node.statements?.filter(({ nodeType }) => nodeType !== 'YulFunctionDefinition') ?? [];
    const last = statements.at(-1);
    if (last) {
      const number = add('end of block', last, statements);
      const fault = node.nodeType.startsWith('Yul')
        ? `if eq(coinbase(), ${number}) { revert(0, 0) } `
        : `if (isMutant(${number})) revert(); `;
      insert(opening, range(last)[0], fault);
    }
    if (conditional.has(node.nodeType) && node.condition) {
      const body = node.trueBody ?? node.body;
      const isBlock = !body || body.nodeType === 'Block';
      const number = add('true', node.condition, isBlock ? [] : [body]);
      add(
        'false',
        node.condition,
        node.falseBody && node.falseBody.nodeType !== 'Block' ? [node.falseBody] : [],
      );
      const [start, end] = range(node.condition);
      insert(opening, start, `branch(${number}, `);
      insert(closing, end, ')');
    }
    if (node.nodeType === 'YulIf' && node.condition && isPure(node.condition)) {
      const number = add('false', node.condition, []);
      const condition = source.slice(...range(node.condition));
      const fault = `if and(eq(coinbase(), ${number}), iszero(${condition})) { revert(0, 0) } `;
      insert(opening, range(node)[0], fault);
    }
    for (const child of node.AST ? [node.AST] : children(node)) visit(child);
  };
  for (const [path, ast] of Object.entries(trees.asts)) {
    [file, source] = [path, trees.sources[path] as string];
    visit(ast);
  }
  // Where an inner and an outer edit meet, the outer one opens first and closes last.
  const switched = instrumented(trees, [...closing.toReversed(), ...opening]);
  return { probes: numbered(probes), switched };
}
