/** Records the mutants of a Solidity source. */
import { flat, lineOf, type Node, range } from './ast.ts';
import { isRational, typeOf } from './operators.ts';

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

export class Recorder {
  readonly mutants: Mutant[] = [];
  readonly #source: string;
  readonly #file: string;
  /** The name of the function, or of the constant, that the mutants are in. */
  function = '';

  constructor(source: string, file: string) {
    this.#source = source;
    this.#file = file;
  }

  text(node: Node): string {
    return this.#source.slice(...range(node));
  }

  /**
   * Adds a mutant.
   *
   * @param shown The node whose text names the mutant; its part at the edit is replaced.
   */
  add(operator: string, edits: Edit[], switches: Edit[] | undefined, shown: Node): void {
    const [from, to] = range(shown);
    let changed = this.#source.slice(from, to);
    for (const edit of edits.filter((e) => e.start >= from && e.end <= to + 1).toReversed()) {
      changed = changed.slice(0, edit.start - from) + edit.text + changed.slice(edit.end - from);
    }
    const was = flat(this.#source.slice(from, to));
    this.mutants.push({
      id: `${this.#file.slice('contracts/'.length)} ${this.function}: ${operator}: ${was} → ${flat(changed)}`,
      file: this.#file,
      function: this.function,
      line: lineOf(this.#source, edits[0]?.start ?? 0),
      operator,
      edits,
      ...(switches && { switches }),
    });
  }

  edit(node: Node, text: string, kind: Edit['kind'] = 'expression'): Edit {
    const [start, end] = range(node);
    return { file: this.#file, start, end, text, kind };
  }

  /** Replaces an expression; `path` are its ancestors. */
  expression(operator: string, node: Node, path: Node[], text: string, shown = node): void {
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
    this.add(operator, [this.edit(node, text)], [edit], shown);
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

  statement(operator: string, node: Node, text: string, shown = node): void {
    const edit = this.edit(node, text, 'statement');
    // The node of most statements ends before the semicolon, the node of `return;` after it.
    edit.end = this.#source.indexOf(';', edit.end - 1) + 1;
    this.add(operator, [edit], [edit], shown);
  }

  /** Returns the text of a node with an edit inside it. */
  edited(node: Node, { start, end, text }: Edit): string {
    const [from, to] = range(node);
    return this.#source.slice(from, start) + text + this.#source.slice(end, to);
  }
}
