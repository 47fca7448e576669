/** Places in a file: edits, and what a person must change. */

/** A replaced part of the source. */
export type Edit = { start: number; end: number; text: string };
/** A place that is not changed. */
export type Note = { start: number; name: string; reason: string };

/** From 1; columns in UTF-16 units. */
export type At = { line: number; column: number };

/** Returns a function from an offset to its place. */
export function createLocator(source: string): (offset: number) => At {
  const ends = [...source.matchAll(/\r\n|[\n\r\u2028\u2029]/g)];
  const starts = [0, ...ends.map((end) => end.index + end[0].length)];
  return (offset) => {
    const after = starts.findIndex((start) => start > offset);
    const line = after < 0 ? starts.length : after;
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
  };
}

/** Returns the source with its edits, which are in order. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let code = '';
  let end = 0;
  for (const edit of edits) {
    code += source.slice(end, edit.start) + edit.text;
    end = edit.end;
  }
  return code + source.slice(end);
}
