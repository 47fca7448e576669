/** Finds the mutants of a Solidity source: the changes by each operator to the nodes of its syntax tree. */
import { children, flat, isPure, lineOf, type Node, numbered, range, type Trees } from './ast.ts';

/** A replacement. Offsets are in bytes, as by the compiler: sources are held as latin1 strings. */
export interface Edit {
  file: string;
  start: number;
  end: number;
  text: string;
  /** The form of the switch between the old and the new text, see `withSwitches`. */
  kind: 'expression' | 'statement' | 'yul expression' | 'yul statement';
  /** The type to which both texts are cast, for literals. */
  cast?: string;
}

export interface Mutant {
  /**
   * Identifies the mutant without line numbers: `file function: operator: old → new`, with `#n` for a repeated text.
   */
  id: string;
  file: string;
  function: string;
  line: number;
  operator: string;
  /** The edits of the plain source. */
  edits: Edit[];
  /** The edits of a source with many mutants; absent when the mutant must be compiled alone. */
  switches?: Edit[];
}

const comparisons: Record<string, string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '==': ['!='],
  '!=': ['=='],
};
const arithmetic: Record<string, string[]> = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['/'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
};
const assignments: Record<string, string> = { '+=': '-=', '-=': '+=', '|=': '&=', '&=': '|=' };
const opcodes: Record<string, string> = {
  add: 'sub',
  sub: 'add',
  mul: 'add',
  div: 'mul',
  mod: 'div',
  and: 'or',
  or: 'and',
  xor: 'and',
  shl: 'shr',
  shr: 'shl',
  lt: 'gt',
  gt: 'lt',
  eq: 'sub', // "differs"
};
const typeOf = (node: Node): string => node.typeDescriptions?.typeString ?? '';
const isRational = (node: Node): boolean => /^(int|rational)_const/.test(typeOf(node));
/** Returns the zero of a value type, or undefined for a type whose zero is not an expression. */
function zeroOf(type: string): string | undefined {
  if (type === 'bool') return 'false';
  if (/^(uint|int|bytes)\d+$/.test(type) || type === 'address') return `${type}(0)`;
  return undefined;
}

function literal(text: string, value: bigint): string {
  return /^0x/i.test(text) ? `0x${value.toString(16).padStart(text.length - 2, '0')}` : value.toString();
}

/** Returns the two adjacent numbers of a literal, and 0. */
function neighbours(text: string): string[] {
  const value = BigInt(text.replaceAll('_', ''));
  const values = [value + 1n, value - 1n, 0n].filter((v) => v >= 0n && v !== value);
  return [...new Set(values)].map((v) => literal(text, v));
}

class Finder {
  readonly mutants: Mutant[] = [];
  readonly #source: string;
  readonly #file: string;
  readonly #uses: Map<number, Use[]>;
  #function = '';

  constructor(source: string, file: string, uses: Map<number, Use[]>) {
    this.#source = source;
    this.#file = file;
    this.#uses = uses;
  }

  /**
   * Visits a node and its children.
   *
   * @param path The ancestors, the nearest one last.
   */
  visit(node: Node, path: Node[] = []): void {
    if (node.nodeType === 'ContractDefinition' && node.contractKind === 'interface') return;
    if (node.nodeType === 'FunctionDefinition') this.#function = node.name || node.kind || '';
    this.#mutate(node, path);
    if (node.nodeType === 'VariableDeclaration' && node.constant === true) return;
    const below = [...path, node];
    const inside = node.nodeType === 'InlineAssembly' && node.AST !== undefined ? [node.AST] : children(node);
    for (const child of inside) this.visit(child, below);
  }

  #text(node: Node): string {
    return this.#source.slice(...range(node));
  }

  /**
   * Adds a mutant.
   *
   * @param shown The node whose text names the mutant; its part at the edit is replaced.
   */
  #add(operator: string, edits: Edit[], switches: Edit[] | undefined, shown: Node): void {
    const [from, to] = range(shown);
    let changed = this.#source.slice(from, to);
    for (const edit of edits.filter((e) => e.start >= from && e.end <= to + 1).toReversed()) {
      changed = changed.slice(0, edit.start - from) + edit.text + changed.slice(edit.end - from);
    }
    const was = flat(this.#source.slice(from, to));
    this.mutants.push({
      id: `${this.#file.slice('contracts/'.length)} ${this.#function}: ${operator}: ${was} → ${flat(changed)}`,
      file: this.#file,
      function: this.#function,
      line: lineOf(this.#source, edits[0]?.start ?? 0),
      operator,
      edits,
      ...(switches && { switches }),
    });
  }

  #edit(node: Node, text: string, kind: Edit['kind'] = 'expression'): Edit {
    const [start, end] = range(node);
    return { file: this.#file, start, end, text, kind };
  }

  /** Replaces an expression; `path` are its ancestors. */
  #expression(operator: string, node: Node, path: Node[], text: string, shown = node): void {
    const [start, end] = range(node);
    let [at, carrier] = [path.length - 1, node];
    const converts = (n: Node | undefined) => n?.nodeType === 'FunctionCall' && n.kind === 'typeConversion';
    const isExpression = (n: Node | undefined) => n?.typeDescriptions !== undefined && isRational(n);
    // The type of a literal depends on its context.
    while (isRational(carrier) && (isExpression(path[at]) || converts(path[at]))) {
      carrier = path[at--] as Node;
    }
    const [from, to] = range(carrier);
    const edit: Edit = {
      file: this.#file,
      start: from,
      end: to,
      text: this.#source.slice(from, start) + text + this.#source.slice(end, to),
      kind: 'expression',
      ...(isRational(carrier) && { cast: this.#typeAround(carrier, path[at]) }),
    };
    this.#add(operator, [this.#edit(node, text)], [edit], shown);
  }

  /** Returns the type to which a literal is converted in its context. */
  #typeAround(node: Node, parent: Node | undefined): string {
    if (parent?.nodeType === 'BinaryOperation') {
      const type = parent.commonType?.typeString ?? '';
      if (/^u?int\d+$/.test(type) && parent.rightExpression !== node) return type;
      if (/^u?int\d+$/.test(type) && !/<<|>>/.test(parent.operator ?? '')) return type;
    }
    if (parent?.nodeType === 'Assignment' && parent.leftHandSide) {
      const type = typeOf(parent.leftHandSide);
      if (/^u?int\d+$/.test(type)) return type;
    }
    return 'uint256';
  }

  /** Replaces a statement together with its semicolon. */
  #statement(operator: string, node: Node, text: string, shown = node): void {
    const edit = this.#edit(node, text, 'statement');
    // The node of most statements ends before the semicolon, that of `return;` after it.
    edit.end = this.#source.indexOf(';', edit.end - 1) + 1;
    this.#add(operator, [edit], [edit], shown);
  }

  #mutate(node: Node, path: Node[]): void {
    const parent = path.at(-1);
    switch (node.nodeType) {
      case 'BinaryOperation':
        if (!isRational(node)) this.#binary(node, path);
        return;
      case 'UnaryOperation': {
        const [inner, operator] = [node.subExpression as Node, node.operator ?? ''];
        if (operator === '!') this.#expression('negation removed', node, path, this.#text(inner));
        if (operator === '~' && !isRational(node)) {
          this.#expression('complement removed', node, path, this.#text(inner));
        }
        if (/^(\+\+|--)$/.test(operator) && parent?.nodeType !== 'ExpressionStatement') {
          const other = operator === '++' ? '--' : '++';
          const text = node.prefix ? `${other}${this.#text(inner)}` : `${this.#text(inner)}${other}`;
          this.#expression('step turned', node, path, text);
        }
        return;
      }
      case 'Literal': {
        const shown = parent?.typeDescriptions ? parent : node;
        if (node.kind === 'bool') {
          this.#expression('constant', node, path, node.value === 'true' ? 'false' : 'true', shown);
        }
        if (node.kind === 'number' && /^(0x[\da-f]+|[\d_]+)$/i.test(this.#text(node))) {
          for (const text of neighbours(this.#text(node))) {
            this.#expression('constant', node, path, text, shown);
          }
        }
        return;
      }
      case 'Conditional': {
        const [yes, no] = [node.trueExpression as Node, node.falseExpression as Node];
        const text = `${this.#text(node.condition as Node)} ? ${this.#text(no)} : ${this.#text(yes)}`;
        this.#expression('branches swapped', node, path, text);
        return;
      }
      case 'IfStatement':
      case 'WhileStatement': {
        const condition = node.condition as Node;
        if (!/^(BinaryOperation|UnaryOperation)$/.test(condition.nodeType)) {
          this.#expression('condition negated', condition, [...path, node], `!(${this.#text(condition)})`);
        }
        return;
      }
      case 'FunctionCall':
        if (node.kind !== 'typeConversion') this.#swapArguments(node);
        return;
      case 'VariableDeclaration':
        if (node.constant === true) this.#constant(node);
        return;
      case 'VariableDeclarationStatement': {
        const [value, declarations] = [node.initialValue, node.declarations ?? []];
        const zero = declarations.length === 1 ? zeroOf(typeOf(declarations[0] as Node)) : undefined;
        if (value && zero && !isRational(value)) {
          this.#expression('value dropped', value, [...path, node], zero, node);
        }
        return;
      }
      case 'Return': {
        const value = node.expression;
        const zero = value ? zeroOf(typeOf(value)) : undefined;
        if (!value) {
          this.#statement('statement removed', node, '', parent?.nodeType === 'IfStatement' ? parent : node);
        }
        for (const text of zero === 'false' ? ['false', 'true'] : zero ? [zero] : []) {
          if (value && this.#text(value) !== text) {
            this.#expression('value returned', value, [...path, node], text, node);
          }
        }
        return;
      }
      case 'ExpressionStatement': {
        if (parent?.nodeType === 'ForStatement' && parent.body !== node) return;
        this.#statement('statement removed', node, '');
        const inner = node.expression as Node;
        const other = assignments[inner.operator ?? ''];
        if (inner.nodeType === 'Assignment' && other && inner.leftHandSide && inner.rightHandSide) {
          const text = `${this.#text(inner.leftHandSide)} ${other} ${this.#text(inner.rightHandSide)};`;
          this.#statement('operator of assignment', node, text);
        }
        if (inner.nodeType === 'UnaryOperation' && /^(\+\+|--)$/.test(inner.operator ?? '')) {
          const text = inner.operator === '++' ? '--' : '++';
          this.#statement('step turned', node, `${text}${this.#text(inner.subExpression as Node)};`);
        }
        return;
      }
      case 'EmitStatement':
      case 'RevertStatement':
      case 'Continue':
      case 'Break':
        this.#statement('statement removed', node, '', parent?.nodeType === 'IfStatement' ? parent : node);
        return;
      default:
        if (node.nodeType.startsWith('Yul')) this.#yul(node, path);
    }
  }

  #binary(node: Node, path: Node[]): void {
    const [left, right, operator] = [
      node.leftExpression as Node,
      node.rightExpression as Node,
      node.operator ?? '',
    ];
    const put = (name: string, to: string) =>
      this.#expression(name, node, path, `${this.#text(left)} ${to} ${this.#text(right)}`);
    for (const to of comparisons[operator] ?? []) put('comparison', to);
    for (const to of arithmetic[operator] ?? []) put('arithmetic', to);
    if (operator === '&&') put('logic', '||');
    if (operator === '||') put('logic', '&&');
    if (
      /^(<<|>>)$/.test(operator) &&
      right.nodeType === 'Identifier' &&
      !this.#uses.has(right.referencedDeclaration ?? 0)
    ) {
      put('shift amount', `${operator} 1 +`);
    }
  }

  /** Swaps each argument with the next one of the same type. */
  #swapArguments(call: Node): void {
    const args = call.arguments as Node[];
    args.forEach((a, i) => {
      const b = args.slice(i + 1).find((other) => typeOf(other) === typeOf(a));
      if (!b || isRational(a) || /literal_string/.test(typeOf(a)) || this.#text(a) === this.#text(b)) return;
      const edits = [this.#edit(a, this.#text(b)), this.#edit(b, this.#text(a))];
      edits.sort((x, y) => x.start - y.start);
      this.#add('arguments swapped', edits, edits, call);
    });
  }

  /** Changes the value of a constant by one up, one down and to zero; switched at its uses. */
  #constant(node: Node): void {
    const [type, value] = [typeOf(node), node.value as Node];
    const number = /^bytes(\d+)$/.test(type) ? `uint${8 * Number(type.slice(5))}` : type;
    if (!/^uint\d+$/.test(number)) return;
    const uses = this.#uses.get(node.id ?? 0) ?? [];
    this.#function = node.name ?? '';
    const variants = (x: string, where: Use['where']) => {
      if (where === 'assembly') return [`add(${x}, 1)`, `sub(${x}, 1)`, '0'];
      const next = type === number ? `(${x}) + 1` : `${type}(${number}(${x}) + 1)`;
      const previous = type === number ? `(${x}) - 1` : `${type}(${number}(${x}) - 1)`;
      return [next, previous, `${type}(0)`];
    };
    const switchable = uses.length > 0 && uses.every((use) => use.where !== 'elsewhere');
    variants(this.#text(value), 'function').forEach((variant, i) => {
      // Assembly accepts constants that are literals, not conversions.
      const text = variant === 'uint256(0)' ? '0' : variant;
      if (text === this.#text(value)) return;
      const switches = uses.map(
        ({ where, ...use }): Edit => ({
          ...use,
          text: variants(use.text, where)[i] as string,
          kind: where === 'assembly' ? 'yul expression' : 'expression',
        }),
      );
      this.#add('constant', [this.#edit(value, text)], switchable ? switches : undefined, value);
    });
  }

  #yul(node: Node, path: Node[]): void {
    const parent = path.at(-1);
    const name = node.functionName?.name ?? '';
    const put = (operator: string, text: string, shown = node) => {
      const edit = this.#edit(node, text, 'yul expression');
      this.#add(operator, [edit], isPure(node) ? [edit] : this.#yulStatement(edit, path), shown);
    };
    switch (node.nodeType) {
      case 'YulFunctionCall': {
        const args = (node.arguments as Node[]).map((arg) => this.#text(arg));
        if (/^(iszero|not)$/.test(name)) put(`${name} removed`, args[0] ?? '');
        const other = opcodes[name];
        if (!other) return;
        const text = `${other}(${args.join(', ')})`;
        put(/^(lt|gt|eq)$/.test(name) ? 'comparison' : 'arithmetic', text);
        if (/^(lt|gt)$/.test(name)) put('comparison', `iszero(${text})`);
        return;
      }
      case 'YulLiteral':
        if (node.kind !== 'number' || parent?.nodeType === 'YulCase') return;
        for (const text of neighbours(this.#text(node))) {
          put('constant', text, parent?.nodeType === 'YulFunctionCall' ? parent : node);
        }
        return;
      case 'YulIf': {
        const condition = node.condition as Node;
        if (condition.functionName?.name === 'iszero') return;
        const edit = this.#edit(condition, `iszero(${this.#text(condition)})`, 'yul expression');
        this.#add('condition negated', [edit], isPure(condition) ? [edit] : undefined, condition);
        return;
      }
      case 'YulVariableDeclaration': {
        const value = node.value as Node | null;
        if (!value || value.nodeType === 'YulLiteral' || node.variables?.length !== 1) return;
        const edit = this.#edit(value, '0', 'yul expression');
        this.#add('value dropped', [edit], isPure(value) ? [edit] : undefined, node);
        return;
      }
      case 'YulExpressionStatement':
      case 'YulAssignment': {
        const edit = this.#edit(node, '', 'yul statement');
        this.#add('statement removed', [edit], [edit], node);
        return;
      }
    }
  }

  /** Returns the switch of a whole assembly statement, for an edit inside it. */
  #yulStatement(edit: Edit, path: Node[]): Edit[] | undefined {
    const statement = path.findLast((n) => !/^Yul(FunctionCall|Literal|Identifier)$/.test(n.nodeType));
    if (!statement || !/^Yul(ExpressionStatement|Assignment)$/.test(statement.nodeType)) return undefined;
    const [start, end] = range(statement);
    const text = this.#source.slice(start, edit.start) + edit.text + this.#source.slice(edit.end, end);
    return [this.#edit(statement, text, 'yul statement')];
  }
}

/** A place that reads a constant. */
interface Use {
  file: string;
  start: number;
  end: number;
  text: string;
  /** `elsewhere`, in other constants, cannot be switched. */
  where: 'function' | 'assembly' | 'elsewhere';
}

function usesOfConstants({ asts, sources }: Trees): Map<number, Use[]> {
  const uses = new Map<number, Use[]>();
  const visit = (node: Node, pick: (node: Node, where: Use['where']) => void, where: Use['where']) => {
    pick(node, where);
    const below = node.nodeType === 'FunctionDefinition' ? 'function' : where;
    for (const child of children(node)) visit(child, pick, below);
  };
  for (const ast of Object.values(asts)) {
    const declare = (node: Node) => {
      if (node.nodeType === 'VariableDeclaration' && node.constant === true) uses.set(node.id ?? 0, []);
    };
    visit(ast, declare, 'elsewhere');
  }
  for (const [file, ast] of Object.entries(asts)) {
    const use = (declaration: number | undefined, node: Pick<Node, 'src'>, where: Use['where']) => {
      const [start, end] = range(node);
      const text = (sources[file] as string).slice(start, end);
      uses.get(declaration ?? 0)?.push({ file, start, end, text, where });
    };
    const find = (node: Node, where: Use['where']) => {
      const reads = node.nodeType === 'Identifier' || node.nodeType === 'MemberAccess';
      if (reads) use(node.referencedDeclaration, node, where);
      for (const reference of node.externalReferences ?? []) {
        use(reference.declaration, reference, 'assembly');
      }
    };
    visit(ast, find, 'elsewhere');
  }
  return uses;
}

/** Returns every mutant of the files in the order of the sources, with unique ids. */
export function findMutants(trees: Trees): Mutant[] {
  const uses = usesOfConstants(trees);
  const mutants = Object.entries(trees.asts).flatMap(([file, ast]) => {
    const finder = new Finder(trees.sources[file] as string, file, uses);
    finder.visit(ast);
    return finder.mutants;
  });
  // Two operators can produce the same text at one place.
  const unique = new Map(mutants.map((m) => [`${m.file} ${JSON.stringify(m.edits)}`, m]));
  return numbered([...unique.values()]);
}
