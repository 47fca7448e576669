/** JSON of RFC 7493: a value whose objects have no name twice, which readers would understand in different ways. */

/** Bounds of a text, checked before it is parsed. */
export type JsonLimits = {
  /** Levels of arrays and objects. */
  maxDepth: number;
  /** Members of objects and elements of arrays, all together. */
  maxMembers: number;
};

export const DEFAULT_JSON_LIMITS: JsonLimits = { maxDepth: 100, maxMembers: 100_000 };

/** The text is nested deeper, or has more members, than the limits allow. */
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
 * Returns the value of a JSON text. One pass over the text counts levels, members and names, and stops at the first
 * bound, so that no text costs more than its length. Throws `JsonLimitError` over a limit, and SyntaxError for a text
 * that is not JSON or has an object with a name twice.
 */
export function parseStrictJson(text: string, limits: JsonLimits = DEFAULT_JSON_LIMITS): unknown {
  const names = namesOfText(text, limits);
  const value: unknown = JSON.parse(text);
  // A repeated name replaces the first one, so that the value has fewer names than the text.
  if (names !== namesOfValue(value)) throw new SyntaxError('an object has a name twice');
  return value;
}

/** Counts the names in a text: in valid JSON each colon outside of strings belongs to one. */
function namesOfText(text: string, { maxDepth, maxMembers }: JsonLimits): number {
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
    if (char === QUOTE) i = endOfString(text, i);
    else if (char === COLON) names++;
    else if (char === OPEN_ARRAY || char === OPEN_OBJECT) {
      if (++depth > maxDepth) throw new JsonLimitError(`more than ${maxDepth} levels of arrays and objects`);
      isFirst = true;
    }
  }
  return names;
}

/**
 * Returns the index of the quote that ends the string at `start`; the end of the text when none does. A string without
 * an escaped quote is skipped by the native search, another one is walked: a search per escaped quote would be slower.
 */
function endOfString(text: string, start: number): number {
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

/** Counts without recursion. */
function namesOfValue(root: unknown): number {
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
