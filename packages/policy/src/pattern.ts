/**
 * Patterns of text: a subset of regular expressions that always match the whole text, in time linear in its length. Characters, `.`,
 * `\d`, `\w`, `\s`, classes, groups, `|`, `*`, `+`, `?` and `{m,n}`. There are no anchors, references or assertions.
 */
import { type Class, PatternError, type PatternNode, parsePattern } from './pattern-parser.ts';

const MAX_STATES = 2_000;
/** Longest text that a pattern is compared with, in UTF-16 units. */
export const MAX_PATTERN_TEXT = 8_192;

/** Either takes a character, or continues at each of `next` without one. */
type State = { class?: Class; next: number[] };

/** Returns the states of a pattern. The first one is the end, the last one the start. */
function compile(pattern: string): State[] {
  const states: State[] = [];
  const add = (state: State): number => {
    if (states.length >= MAX_STATES)
      throw new PatternError(`the pattern needs more than ${MAX_STATES} states`);
    return states.push(state) - 1;
  };
  /** Adds the states of a node after which the match continues at `next`. Returns its first state. */
  const emit = (node: PatternNode, next: number): number => {
    switch (node.type) {
      case 'class':
        return add({ class: node.class, next: [next] });
      case 'sequence':
        return node.nodes.reduceRight((after, part) => emit(part, after), next);
      case 'choice':
        return add({ next: node.nodes.map((part) => emit(part, next)) });
      case 'repeat':
        return emitRepeat(node, next);
    }
  };
  const emitRepeat = ({ node, min, max }: Extract<PatternNode, { type: 'repeat' }>, next: number): number => {
    let first = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop: State = { next: [next] };
      first = add(loop);
      loop.next.push(emit(node, first));
    } else for (let i = min; i < max; i++) first = add({ next: [next, emit(node, first)] });
    for (let i = 0; i < min; i++) first = emit(node, add({ next: [first] }));
    return first;
  };
  const end = add({ next: [] });
  const start = emit(parsePattern(pattern), end);
  add({ next: [start] });
  return states;
}

/** Throws `PatternError` for text that is not a pattern. */
export const checkPattern = (pattern: string): void => void compile(pattern);

const takes = ({ ranges, isNegated }: Class, character: number): boolean =>
  ranges.some(([first, last]) => character >= first && character <= last) !== isNegated;

/** Returns true when the whole text is of the pattern. Text over `MAX_PATTERN_TEXT` is not compared. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (text.length > MAX_PATTERN_TEXT) throw new PatternError('the text is too long for a pattern');
  const states = compile(pattern);
  const enter = (found: Set<number>, from: number): void => {
    const waiting = [from];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (found.has(index)) continue;
      found.add(index);
      const { class: taken, next } = states[index] as State;
      if (!taken) waiting.push(...next);
    }
  };
  let current = new Set<number>();
  enter(current, states.length - 1);
  for (const character of text) {
    const following = new Set<number>();
    for (const index of current) {
      const { class: taken, next } = states[index] as State;
      if (taken && takes(taken, character.codePointAt(0) as number)) enter(following, next[0] as number);
    }
    current = following;
  }
  return current.has(0);
}
