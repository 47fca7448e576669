/** Finds the mutants of a Solidity source: the changes by each operator to the nodes of its syntax tree. */
import { children, type Node, numbered, range, type Trees } from './ast.ts';
import { arithmetic, assignments, comparisons, isRational, neighbours, typeOf, zeroOf } from './operators.ts';
import { type Edit, type Mutant, Recorder } from './recorder.ts';
import { mutateYul } from './yul.ts';

class Finder extends Recorder {
  readonly #uses: Map<number, Use[]>;

  constructor(source: string, file: string, uses: Map<number, Use[]>) {
    super(source, file);
    this.#uses = uses;
  }

  /**
   * Visits a node and its children.
   *
   * @param path The ancestors, the nearest one last.
   */
  visit(node: Node, path: Node[] = []): void {
    if (node.nodeType === 'ContractDefinition' && node.contractKind === 'interface') return;
    if (node.nodeType === 'FunctionDefinition') this.function = node.name || node.kind || '';
    this.#mutate(node, path);
    if (node.nodeType === 'VariableDeclaration' && node.constant === true) return;
    const below = [...path, node];
    const inside = node.nodeType === 'InlineAssembly' && node.AST !== undefined ? [node.AST] : children(node);
    for (const child of inside) this.visit(child, below);
  }

  #mutate(node: Node, path: Node[]): void {
    const parent = path.at(-1);
    switch (node.nodeType) {
      case 'BinaryOperation':
        if (!isRational(node)) this.#binary(node, path);
        return;
      case 'UnaryOperation':
        this.#unary(node, path);
        return;
      case 'Literal':
        this.#literal(node, path);
        return;
      case 'Conditional':
        this.#conditional(node, path);
        return;
      case 'IfStatement':
      case 'WhileStatement':
        this.#condition(node, path);
        return;
      case 'FunctionCall':
        if (node.kind !== 'typeConversion') this.#swapArguments(node);
        return;
      case 'VariableDeclaration':
        if (node.constant === true) this.#constant(node);
        return;
      case 'VariableDeclarationStatement':
        this.#initialValue(node, path);
        return;
      case 'Return':
        this.#return(node, path);
        return;
      case 'ExpressionStatement':
        this.#expressionStatement(node, path);
        return;
      case 'EmitStatement':
      case 'RevertStatement':
      case 'Continue':
      case 'Break':
        this.statement('statement removed', node, '', parent?.nodeType === 'IfStatement' ? parent : node);
        return;
      default:
        if (node.nodeType.startsWith('Yul')) mutateYul(this, node, path);
    }
  }

  #unary(node: Node, path: Node[]): void {
    const parent = path.at(-1);
    const [inner, operator] = [node.subExpression as Node, node.operator ?? ''];
    if (operator === '!') this.expression('negation removed', node, path, this.text(inner));
    if (operator === '~' && !isRational(node)) {
      this.expression('complement removed', node, path, this.text(inner));
    }
    if (/^(\+\+|--)$/.test(operator) && parent?.nodeType !== 'ExpressionStatement') {
      const other = operator === '++' ? '--' : '++';
      const text = node.prefix ? `${other}${this.text(inner)}` : `${this.text(inner)}${other}`;
      this.expression('step turned', node, path, text);
    }
  }

  #literal(node: Node, path: Node[]): void {
    const parent = path.at(-1);
    const shown = parent?.typeDescriptions ? parent : node;
    if (node.kind === 'bool') {
      this.expression('constant', node, path, node.value === 'true' ? 'false' : 'true', shown);
    }
    if (node.kind === 'number' && /^(0x[\da-f]+|[\d_]+)$/i.test(this.text(node))) {
      for (const text of neighbours(this.text(node))) {
        this.expression('constant', node, path, text, shown);
      }
    }
  }

  #conditional(node: Node, path: Node[]): void {
    const [yes, no] = [node.trueExpression as Node, node.falseExpression as Node];
    const text = `${this.text(node.condition as Node)} ? ${this.text(no)} : ${this.text(yes)}`;
    this.expression('branches swapped', node, path, text);
  }

  #condition(node: Node, path: Node[]): void {
    const condition = node.condition as Node;
    if (!/^(BinaryOperation|UnaryOperation)$/.test(condition.nodeType)) {
      this.expression('condition negated', condition, [...path, node], `!(${this.text(condition)})`);
    }
  }

  #initialValue(node: Node, path: Node[]): void {
    const [value, declarations] = [node.initialValue, node.declarations ?? []];
    const zero = declarations.length === 1 ? zeroOf(typeOf(declarations[0] as Node)) : undefined;
    if (value && zero && !isRational(value)) {
      this.expression('value dropped', value, [...path, node], zero, node);
    }
  }

  #return(node: Node, path: Node[]): void {
    const parent = path.at(-1);
    const value = node.expression;
    const zero = value ? zeroOf(typeOf(value)) : undefined;
    if (!value) {
      this.statement('statement removed', node, '', parent?.nodeType === 'IfStatement' ? parent : node);
    }
    for (const text of zero === 'false' ? ['false', 'true'] : zero ? [zero] : []) {
      if (value && this.text(value) !== text) {
        this.expression('value returned', value, [...path, node], text, node);
      }
    }
  }

  #expressionStatement(node: Node, path: Node[]): void {
    const parent = path.at(-1);
    if (parent?.nodeType === 'ForStatement' && parent.body !== node) return;
    this.statement('statement removed', node, '');
    const inner = node.expression as Node;
    const other = assignments[inner.operator ?? ''];
    if (inner.nodeType === 'Assignment' && other && inner.leftHandSide && inner.rightHandSide) {
      const text = `${this.text(inner.leftHandSide)} ${other} ${this.text(inner.rightHandSide)};`;
      this.statement('operator of assignment', node, text);
    }
    if (inner.nodeType === 'UnaryOperation' && /^(\+\+|--)$/.test(inner.operator ?? '')) {
      const text = inner.operator === '++' ? '--' : '++';
      this.statement('step turned', node, `${text}${this.text(inner.subExpression as Node)};`);
    }
  }

  #binary(node: Node, path: Node[]): void {
    const [left, right, operator] = [
      node.leftExpression as Node,
      node.rightExpression as Node,
      node.operator ?? '',
    ];
    const put = (name: string, to: string) =>
      this.expression(name, node, path, `${this.text(left)} ${to} ${this.text(right)}`);
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
      if (!b || isRational(a) || /literal_string/.test(typeOf(a)) || this.text(a) === this.text(b)) return;
      const edits = [this.edit(a, this.text(b)), this.edit(b, this.text(a))];
      edits.sort((x, y) => x.start - y.start);
      this.add('arguments swapped', edits, edits, call);
    });
  }

  /** Changes the value of a constant by one up, one down and to zero; switched at its uses. */
  #constant(node: Node): void {
    const [type, value] = [typeOf(node), node.value as Node];
    const number = /^bytes(\d+)$/.test(type) ? `uint${8 * Number(type.slice(5))}` : type;
    if (!/^uint\d+$/.test(number)) return;
    const uses = this.#uses.get(node.id ?? 0) ?? [];
    this.function = node.name ?? '';
    const variants = (x: string, where: Use['where']) => {
      if (where === 'assembly') return [`add(${x}, 1)`, `sub(${x}, 1)`, '0'];
      const next = type === number ? `(${x}) + 1` : `${type}(${number}(${x}) + 1)`;
      const previous = type === number ? `(${x}) - 1` : `${type}(${number}(${x}) - 1)`;
      return [next, previous, `${type}(0)`];
    };
    const switchable = uses.length > 0 && uses.every((use) => use.where !== 'elsewhere');
    variants(this.text(value), 'function').forEach((variant, i) => {
      // Assembly accepts constants that are literals, not conversions.
      const text = variant === 'uint256(0)' ? '0' : variant;
      if (text === this.text(value)) return;
      const switches = uses.map(
        ({ where, ...use }): Edit => ({
          ...use,
          text: variants(use.text, where)[i] as string,
          kind: where === 'assembly' ? 'yul expression' : 'expression',
        }),
      );
      this.add('constant', [this.edit(value, text)], switchable ? switches : undefined, value);
    });
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
