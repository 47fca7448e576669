/** Text from elsewhere, for terminals and models: names, errors and logs can contain anything. */

/** Controls, among them ANSI escapes, and characters that are not visible or turn the direction of a line. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escapeOne = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Returns a text for one line: unsafe characters become `\u{…}`. */
export function oneLine(text: string): string {
  return text.replace(UNSAFE, escapeOne);
}

/** Returns a text that keeps its line ends and tabs. */
export function safeLines(text: string): string {
  return text.replace(UNSAFE, (character) => (/[\n\t]/.test(character) ? character : escapeOne(character)));
}

/** Returns a value as JSON: bigints are decimal text. Unsafe characters are escaped, which does not change the value. */
export function toJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(
    value,
    (_name, part) => (typeof part === 'bigint' ? String(part) : part),
    indent,
  );
  const escapeUnits = (character: string): string =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  // Outside of strings, JSON.stringify writes no other control than the line end.
  return (json ?? 'null').replace(UNSAFE, (character) =>
    character === '\n' ? character : escapeUnits(character),
  );
}
