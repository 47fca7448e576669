/** Parses the patterns of `pattern.ts`. */

export class PatternError extends Error {
  override readonly name = 'PatternError';
}

export const MAX_COUNT = 1_000;
const MAX_DEPTH = 50;

/** Ranges of code points. */
export type Class = { ranges: [number, number][]; isNegated: boolean };
export type PatternNode =
  | { type: 'class'; class: Class }
  | { type: 'sequence'; nodes: PatternNode[] }
  | { type: 'choice'; nodes: PatternNode[] }
  | { type: 'repeat'; node: PatternNode; min: number; max: number };

const ESCAPES: Record<string, [number, number][]> = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 13],
    [32, 32],
  ],
  n: [[10, 10]],
  r: [[13, 13]],
  t: [[9, 9]],
};

const code = (character: string): number => character.codePointAt(0) as number;
const single = (character: string): Class => ({
  ranges: [[code(character), code(character)]],
  isNegated: false,
});

/** Throws `PatternError` for text that is not a pattern. */
export function parsePattern(pattern: string): PatternNode {
  const parser = new Parser(pattern);
  const node = parser.choice();
  parser.requireEnd();
  return node;
}

class Parser {
  readonly #characters: string[];
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  requireEnd(): void {
    if (this.#next !== undefined) this.#fail('a ) has no group');
  }

  choice(): PatternNode {
    const nodes = [this.#sequence()];
    while (this.#next === '|') {
      this.#at++;
      nodes.push(this.#sequence());
    }
    return nodes.length === 1 ? (nodes[0] as PatternNode) : { type: 'choice', nodes };
  }

  get #next(): string | undefined {
    return this.#characters[this.#at];
  }

  #fail(message: string): never {
    throw new PatternError(`${message}, at character ${this.#at + 1}`);
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') {
      const node = this.#atom();
      const count = this.#count();
      if (count && this.#count()) this.#fail('two counts follow each other');
      nodes.push(count ? { type: 'repeat', node, min: count[0], max: count[1] } : node);
    }
    return { type: 'sequence', nodes };
  }

  #atom(): PatternNode {
    const character = this.#next as string;
    this.#at++;
    if (character === '(') return this.#group();
    if (character === '[') return { type: 'class', class: this.#class() };
    if (character === '.') return { type: 'class', class: { ranges: [[10, 10]], isNegated: true } };
    if (character === '\\') return { type: 'class', class: { ranges: this.#escape(), isNegated: false } };
    if ('*+?{}^$]'.includes(character)) this.#fail(`${character} needs a \\ before it`);
    return { type: 'class', class: single(character) };
  }

  #group(): PatternNode {
    if (++this.#depth > MAX_DEPTH) this.#fail(`groups are nested deeper than ${MAX_DEPTH}`);
    if (this.#next === '?') {
      if (this.#characters[this.#at + 1] !== ':') this.#fail('only (…) and (?:…) are supported');
      this.#at += 2;
    }
    const node = this.choice();
    if (this.#next !== ')') this.#fail('a group has no )');
    this.#at++;
    this.#depth--;
    return node;
  }

  #escape(): [number, number][] {
    const character = this.#next;
    if (character === undefined) this.#fail('\\ is the last character');
    this.#at++;
    const known = ESCAPES[character];
    if (known) return known;
    if (/[A-Za-z0-9]/.test(character)) this.#fail(`\\${character} is not supported`);
    return single(character).ranges;
  }

  #class(): Class {
    const isNegated = this.#next === '^';
    if (isNegated) this.#at++;
    const ranges: [number, number][] = [];
    while (this.#next !== ']') {
      const character = this.#next;
      if (character === undefined || character === '[') this.#fail('a class has no ]');
      this.#at++;
      if (character === '\\') ranges.push(...this.#escape());
      else ranges.push([code(character), this.#endOfRange(character)]);
    }
    this.#at++;
    return { ranges, isNegated };
  }

  /** Returns the last code point of a range that may begin with this character. */
  #endOfRange(first: string): number {
    const last = this.#characters[this.#at + 1];
    if (this.#next !== '-' || last === ']') return code(first);
    if (last === undefined || last === '\\' || code(last) < code(first)) this.#fail('wrong range');
    this.#at += 2;
    return code(last);
  }

  #count(): [number, number] | undefined {
    const character = this.#next;
    if (character !== '*' && character !== '+' && character !== '?' && character !== '{') return undefined;
    this.#at++;
    if (character === '*') return [0, Number.POSITIVE_INFINITY];
    if (character === '+') return [1, Number.POSITIVE_INFINITY];
    if (character === '?') return [0, 1];
    const end = this.#characters.indexOf('}', this.#at);
    const text = this.#characters.slice(this.#at, Math.max(end, 0)).join('');
    const [, least, comma, most = ''] = /^(\d{1,4})(,)?(\d{1,4})?$/.exec(text) ?? [];
    const min = Number(least);
    const max = comma === undefined ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most);
    if (!(min <= max) || min > MAX_COUNT || (max > MAX_COUNT && max !== Number.POSITIVE_INFINITY))
      this.#fail(`a count is {m}, {m,} or {m,n} with at most ${MAX_COUNT}`);
    this.#at = end + 1;
    return [min, max];
  }
}
