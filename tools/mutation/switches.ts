/** Puts mutants into sources: one, or many with switches between them. */
import { type Node, nodesOf, range, type Trees } from './ast.ts';
import type { Edit, Mutant } from './recorder.ts';

export type TextEdit = Pick<Edit, 'file' | 'start' | 'end' | 'text'>;

function replace(text: string, edits: TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join('') + text.slice(at);
}

/** Returns the sources with one mutant. */
export function withMutant(sources: Record<string, string>, { file, edits }: Mutant): Record<string, string> {
  return { ...sources, [file]: replace(sources[file] as string, edits) };
}

const SWITCH_FILE = 'contracts/Switch.sol';
const SWITCH = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
function isMutant(uint256 id) view returns (bool) {
    return block.coinbase == address(uint160(id));
}
function branch(uint256 id, bool value) view returns (bool) {
    if (isMutant(value ? id : id + 1)) revert();
    return value;
}
`;

/**
 * Returns the sources with many mutants. The coinbase of the block is the number of the active one; 0 is none. Their
 * switches must be at separate places or at the same place.
 */
export function withSwitches(trees: Trees, mutants: Map<number, Mutant>): Record<string, string> {
  const places = new Map<string, [number, Edit][]>();
  for (const [number, mutant] of mutants) {
    for (const edit of mutant.switches ?? []) {
      const place = `${edit.file}:${edit.start}:${edit.end}`;
      places.set(place, [...(places.get(place) ?? []), [number, edit]]);
    }
  }
  const edits: Edit[] = [];
  for (const choices of places.values()) {
    const edit = (choices[0] as [number, Edit])[1];
    const original = (trees.sources[edit.file] as string).slice(edit.start, edit.end);
    edits.push({ ...edit, text: switchOf(original, choices) });
  }
  return instrumented(trees, edits);
}

/**
 * Returns the sources with edits that read the active mutant. `pure` becomes `view`, because they read the coinbase.
 */
export function instrumented({ asts, sources }: Trees, edits: TextEdit[]): Record<string, string> {
  const changed = Object.entries(sources).map(([file, source]): [string, string] => {
    const own = [...edits.filter((edit) => edit.file === file), ...views(asts[file] as Node, file, source)];
    if (own.length === 0) return [file, source];
    return [file, `${replace(source, own)}\nimport { isMutant, branch } from "${SWITCH_FILE}";\n`];
  });
  return { ...Object.fromEntries(changed), [SWITCH_FILE]: SWITCH };
}

function switchOf(original: string, choices: [number, Edit][]): string {
  const { kind, cast } = (choices[0] as [number, Edit])[1];
  const as = (text: string) => (cast ? `${cast}(${text})` : `(${text})`);
  let text = '';
  switch (kind) {
    case 'expression':
      for (const [number, edit] of choices) text += `isMutant(${number}) ? ${as(edit.text)} : `;
      return `(${text}${as(original)})`;
    case 'statement':
      for (const [number, edit] of choices) text += `if (isMutant(${number})) { ${edit.text} } else `;
      return `{ ${text}{ ${original} } }`;
    case 'yul expression':
      text = original;
      for (const [number, edit] of choices) {
        text = `xor(${text}, mul(eq(coinbase(), ${number}), xor(${original}, ${edit.text})))`;
      }
      return text;
    case 'yul statement':
      for (const [number, edit] of choices) text += `case ${number} { ${edit.text} } `;
      return `switch coinbase() ${text}default { ${original} }`;
  }
}

/** Returns the edits that turn pure functions of a file into view functions, in its interfaces too. */
function views(node: Node, file: string, source: string): TextEdit[] {
  if (node.nodeType !== 'FunctionDefinition')
    return nodesOf(node).flatMap((child) => views(child, file, source));
  if (node.stateMutability !== 'pure' || !node.parameters) return [];
  const start = source.indexOf('pure', range(node.parameters)[1]);
  return [{ file, start, end: start + 'pure'.length, text: 'view' }];
}
