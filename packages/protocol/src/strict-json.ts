/** JSON of RFC 7493: a value whose objects have no name twice, which readers would understand in different ways. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** The value of a JSON text. Throws SyntaxError for what is no JSON and for a name that an object has twice. */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // A name that is there again replaces the first, so that the value has fewer members than the text.
  if (membersOfText(text) !== membersOfValue(value)) throw new SyntaxError('an object has a name twice');
  return value;
}

/** In valid JSON each colon outside of strings belongs to one member. */
function membersOfText(text: string): number {
  let members = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) isInString = !isInString;
    else if (isInString && char === BACKSLASH) i++;
    else if (!isInString && char === COLON) members++;
  }
  return members;
}

/** Without recursion: the depth of the text is a stranger's choice. */
function membersOfValue(root: unknown): number {
  let members = 0;
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const items: unknown[] = Object.values(value);
    if (!Array.isArray(value)) members += items.length;
    for (const item of items) open.push(item);
  }
  return members;
}
