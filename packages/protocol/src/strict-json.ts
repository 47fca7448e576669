/** Parses JSON of RFC 7493: an object with a duplicate name is refused, because parsers read it differently. */

/** Limits of a text, checked before it is parsed. */
export type JsonLimits = {
  /** Levels of arrays and objects. */
  maxDepth: number;
  /** Total members of objects and elements of arrays. */
  maxMembers: number;
};

const DEFAULT_JSON_LIMITS: JsonLimits = { maxDepth: 100, maxMembers: 100_000 };

/** The text exceeds the limit of levels or of members. */
export class JsonLimitError extends SyntaxError {
  override readonly name = 'JsonLimitError';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Returns the value of a JSON text. One pass over the text counts levels, members and names and stops at the first
 * exceeded limit, so that the cost is linear in the length. Throws `JsonLimitError` over a limit, and SyntaxError for a
 * text that is not JSON or has an object with a duplicate name.
 */
export function parseStrictJson(text: string, limits: JsonLimits = DEFAULT_JSON_LIMITS): unknown {
  const names = countNamesInText(text, limits);
  const value: unknown = JSON.parse(text);
  // A duplicate name replaces the first one, so that the value has fewer names than the text.
  if (names !== countNamesInValue(value)) throw new SyntaxError('an object has a duplicate name');
  return value;
}

/** Counts the names in a text: in valid JSON each colon outside strings belongs to one name. */
function countNamesInText(text: string, { maxDepth, maxMembers }: JsonLimits): number {
  let names = 0;
  let depth = 0;
  let members = 0;
  let isFirst = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    // Spaces and control characters.
    if (char <= 0x20) continue;
    // The inside of a number.
    if (char > COMMA && char < COLON && !isFirst) continue;
    if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) {
      depth--;
      isFirst = false;
      continue;
    }
    if (char === COMMA || isFirst) {
      if (++members > maxMembers) throw new JsonLimitError(`more than ${maxMembers} members and elements`);
      isFirst = false;
    }
    if (char === QUOTE) i = findStringEnd(text, i);
    else if (char === COLON) names++;
    else if (char === OPEN_ARRAY || char === OPEN_OBJECT) {
      if (++depth > maxDepth) throw new JsonLimitError(`more than ${maxDepth} levels of arrays and objects`);
      isFirst = true;
    }
  }
  return names;
}

/**
 * Returns the index of the quote that ends the string at `start`, or the length of an unterminated text. A string
 * without an escaped quote is skipped by the native search; other strings are walked, because a search per escaped
 * quote is slower.
 */
function findStringEnd(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (quote < 0) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote;
  for (let i = start + 1; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) return i;
    if (char === BACKSLASH) i++;
  }
  return text.length;
}

/** Counts the names in a value. Not recursive. */
function countNamesInValue(root: unknown): number {
  let names = 0;
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const items: unknown[] = Object.values(value);
    if (!Array.isArray(value)) names += items.length;
    for (const item of items) open.push(item);
  }
  return names;
}
